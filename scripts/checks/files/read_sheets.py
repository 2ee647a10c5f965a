"""Compares sheets that LibreOffice made of CSV with the exact CSV of the same lists: read_sheets.py DIALECT EXACT_FOLDER SHEET_FOLDER."""

import csv
import pathlib
import re
import sys

import openpyxl

dialect, exact_folder, sheet_folder = sys.argv[1:]
# A boundary may be longer than the reader's usual limit.
csv.field_size_limit(10**8)
NUMBER = re.compile(r"-?\d+\.\d+")
# What a spreadsheet would take for a number or a date.
CODE = re.compile(r"\d[\d.,/eE+-]*")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
FORMULA = re.compile(r"[=+\-@\t\r]")
files = sorted(pathlib.Path(exact_folder).glob("*.csv"))
failed = numbers = accents = codes = 0


def fault(wanted, found, column):
    """What is wrong with a cell; None if nothing is. Counts what was compared."""
    global numbers, accents, codes
    if column in TEXTS and CODE.fullmatch(wanted) and not DATE.fullmatch(wanted):
        codes += 1
        return None if found == wanted else "other code"
    if NUMBER.fullmatch(wanted) and column not in TEXTS:
        numbers += 1
        return None if isinstance(found, (int, float)) and abs(found - float(wanted)) <= 1e-12 * abs(found) else "no number"
    if any(letter.isalpha() and not letter.isascii() for letter in wanted):
        accents += 1
        written = f"'{wanted}" if FORMULA.match(wanted) else wanted
        # A sheet has one kind of line end, and at most 32,767 characters in a cell.
        same = str(found).replace("_x000D_", "").replace("\r", "") == written.replace("\r", "")
        return None if same or len(written) > 32_767 else "other text"
    return None


for file in files:
    with open(file, newline="", encoding="utf-8") as lines:
        exact = list(csv.reader(lines))
    sheet = openpyxl.load_workbook(pathlib.Path(sheet_folder) / f"{file.stem}.xlsx", data_only=True).active
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    # Columns of texts: those with a value that is no number, and those with codes that begin with a zero.
    TEXTS = {
        at for at in range(len(exact[0]))
        if any(row[at] and not re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", row[at]) or re.fullmatch(r"0\d+", row[at]) for row in exact[1:])
    }
    if rows[0] != exact[0] or len(rows) != len(exact):
        failed += 1
        print(f"FAILED sheets {dialect} {file.stem}: {len(rows)} rows of {rows[0][:4]}, expected {len(exact)} of {exact[0][:4]}")
        continue
    for row, wanted in zip(rows[1:], exact[1:]):
        faults = [(exact[0][at], why, text[:60], str(row[at])[:60]) for at, text in enumerate(wanted) if (why := fault(text, row[at], at))]
        if faults:
            failed += 1
            print(f"FAILED sheets {dialect} {file.stem}: {faults[:3]}")
            break
print(f"sheets {dialect}: {len(files) - failed} of {len(files)} lists are right; {numbers} decimal numbers, {accents} texts with accents, {codes} codes")
sys.exit(1 if failed or 0 in (numbers, accents, codes) else 0)
