// Reads a table by iceberg-go and writes its rows as an Arrow stream: read_table '<request as JSON>'.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/io"
	_ "github.com/apache/iceberg-go/io/gocloud"
	"github.com/apache/iceberg-go/table"
)

// What to read: a table of a catalogue, or one by its metadata file; all rows, those of a snapshot or on one side of a value.
type request struct {
	Name, Metadata, Snapshot string
	Catalogue                *struct{ URI, Token string }
	Condition                *struct{ Column, Type, Operator, Value string }
}

func main() {
	if err := read(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(ctx context.Context, text string) error {
	var asked request
	if err := json.Unmarshal([]byte(text), &asked); err != nil {
		return err
	}
	found, err := open(ctx, asked)
	if err != nil {
		return err
	}
	var options []table.ScanOption
	if asked.Snapshot != "" {
		id, err := strconv.ParseInt(asked.Snapshot, 10, 64)
		if err != nil {
			return err
		}
		options = append(options, table.WithSnapshotID(id))
	}
	if one := asked.Condition; one != nil {
		column, value := iceberg.Reference(one.Column), iceberg.NewLiteral(one.Value)
		operation := iceberg.OpLTEQ
		if one.Operator == ">" {
			operation = iceberg.OpGT
		}
		var filter iceberg.BooleanExpression = iceberg.LiteralPredicate(operation, column, value)
		if one.Type == "double" {
			filter = iceberg.NewAnd(filter, iceberg.NotNaN(column))
		}
		options = append(options, table.WithRowFilter(filter))
	}
	schema, records, err := found.Scan(options...).ToArrowRecords(ctx)
	if err != nil {
		return err
	}
	out := ipc.NewWriter(os.Stdout, ipc.WithSchema(schema))
	for record, err := range records {
		if err != nil {
			return err
		}
		if err := out.Write(record); err != nil {
			return err
		}
		record.Release()
	}
	return out.Close()
}

func open(ctx context.Context, asked request) (*table.Table, error) {
	name := strings.Split(asked.Name, ".")
	if asked.Catalogue == nil {
		return table.NewFromLocation(ctx, name, asked.Metadata, io.LoadFSFunc(nil, asked.Metadata), nil)
	}
	lake, err := rest.NewCatalog(ctx, "lake", asked.Catalogue.URI, rest.WithOAuthToken(asked.Catalogue.Token))
	if err != nil {
		return nil, err
	}
	return lake.LoadTable(ctx, name)
}
