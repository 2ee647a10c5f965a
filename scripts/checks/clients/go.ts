import type { ClientRequest } from './typescript.ts'

/**
 * A Go program beside a client of oapi-codegen: it parses one reply of each request, and compares all its values
 * of the result with those of the reply. As clients in Go do, it sends no Accept.
 */
export function goProgram(requests: readonly ClientRequest[]): string {
  return `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"time"
)

var failed = 0

func fail(path string, why any) {
	failed++
	fmt.Println("FAILED go", path, why)
}

func get(path string) (*http.Response, []byte) {
	request, _ := http.NewRequest("GET", os.Getenv("API")+path, nil)
	request.Header.Set("X-API-Key", os.Getenv("KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, body
}

// Returns the first place where the parsed reply lacks or changes what was sent; texts may be instants in another form.
func differs(place string, sent, parsed any) string {
	switch one := sent.(type) {
	case map[string]any:
		other, ok := parsed.(map[string]any)
		if !ok {
			return place + " is no object"
		}
		for name, value := range one {
			held, ok := other[name]
			// A member that only some replies have is left out if it is null.
			if !ok && value == nil {
				continue
			}
			if !ok {
				return place + "." + name + " is lost"
			}
			if found := differs(place+"."+name, value, held); found != "" {
				return found
			}
		}
	case []any:
		other, ok := parsed.([]any)
		if !ok || len(other) != len(one) {
			return place + " has another length"
		}
		for at := range one {
			if found := differs(place, one[at], other[at]); found != "" {
				return found
			}
		}
	case string:
		other, ok := parsed.(string)
		if !ok {
			return place + " is no text"
		}
		before, wrong := time.Parse(time.RFC3339Nano, one)
		after, alsoWrong := time.Parse(time.RFC3339Nano, other)
		if one != other && (wrong != nil || alsoWrong != nil || !before.Equal(after)) {
			return fmt.Sprint(place, ": ", one, " became ", other)
		}
	default:
		if !reflect.DeepEqual(sent, parsed) {
			return fmt.Sprint(place, ": ", sent, " became ", parsed)
		}
	}
	return ""
}

func check(path string, body []byte, parsed any) {
	if reflect.ValueOf(parsed).IsNil() {
		fail(path, "was not parsed")
		return
	}
	again, err := json.Marshal(parsed)
	if err != nil {
		fail(path, err)
		return
	}
	var before, after any
	if json.Unmarshal(body, &before) != nil || json.Unmarshal(again, &after) != nil {
		fail(path, "no JSON")
	} else if found := differs("reply", before, after); found != "" {
		fail(path, found)
	}
}

func main() {
${requests.map(({ id, path }) => readOf(pascal(id), path)).join('\n')}
	fmt.Printf("go: %d of ${requests.length} replies read\\n", ${requests.length}-failed)
	if failed > 0 {
		os.Exit(1)
	}
}
`
}

function readOf(name: string, path: string): string {
  return `	{
		response, body := get(${JSON.stringify(path)})
		parsed, err := Parse${name}Response(response)
		if err != nil {
			fail(${JSON.stringify(path)}, err)
		} else {
			check(${JSON.stringify(path)}, body, parsed.JSON200)
		}
	}`
}

/** The name of an operation in Go: `trenes_by_id` becomes `TrenesById`. */
function pascal(id: string): string {
  return id.replaceAll(/(?:^|_)(\w)/g, (_whole, letter: string) => letter.toUpperCase())
}
