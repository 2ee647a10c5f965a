"""Validates a catalogue with SHACL shapes: validate_catalogue.py CATALOGUE.ttl SHAPES_FOLDER. Fails for violations, counts warnings."""

import collections
import pathlib
import sys

import pyshacl
import rdflib
from rdflib.namespace import RDF, SH

catalogue, folder = sys.argv[1:]
data = rdflib.Graph().parse(catalogue, format="turtle")
shapes = rdflib.Graph()
files = [file for file in sorted(pathlib.Path(folder).glob("*.ttl")) if "imports" not in file.name]
for file in files:
    try:
        shapes.parse(file, format="turtle")
    except Exception as error:
        # Some published versions of the shapes are not valid Turtle: another version has to be used.
        sys.exit(f"FAILED catalogue: {file.name} is not Turtle: {str(error)[:300]}")
targets = len(set(shapes.objects(None, SH.targetClass)))
if targets == 0:
    sys.exit(f"FAILED catalogue: {folder} has no shapes with a target")
_, report, _ = pyshacl.validate(data, shacl_graph=shapes, advanced=True, inference="none")
counts = collections.Counter()
for result in report.subjects(RDF.type, SH.ValidationResult):
    severity, path, kind = (report.value(result, term) for term in (SH.resultSeverity, SH.resultPath, SH.sourceConstraintComponent))
    example = report.value(result, SH.focusNode)
    counts[str(severity).split("#")[-1], str(path), str(kind).split("#")[-1]] += 1
    if counts[str(severity).split("#")[-1], str(path), str(kind).split("#")[-1]] == 1 and severity == SH.Violation:
        print(f"FAILED catalogue: {path} {kind} of {example}: {report.value(result, SH.resultMessage)}")
for (severity, path, kind), count in sorted(counts.items()):
    print(f"catalogue: {severity} {count} x {path} {kind}")
violations = sum(count for (severity, _, _), count in counts.items() if severity == "Violation")
datasets = len(set(data.subjects(RDF.type, rdflib.URIRef("http://www.w3.org/ns/dcat#Dataset"))))
print(f"catalogue: {violations} violations in {len(data)} statements about {datasets} datasets, by {len(files)} files of shapes")
sys.exit(1 if violations or datasets == 0 else 0)
