#!/usr/bin/env bash
# Expected: a member of type ["string", "null"] (OpenAPI 3.1) is nullable in a generated client wherever its schema is used.
# So it is: in the schema itself it is (Optional[str] in Python), but in a reply that adds a member to it by allOf with a $ref the
# same member becomes str: a client of valid replies fails where the value is null. Seen with openapi-generator 7.25.0 (python).
# Needs Java 11 or newer.
set -eu
VERSION=7.25.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
jar="org/openapitools/openapi-generator-cli/$VERSION/openapi-generator-cli-$VERSION.jar"
curl -sSfL -o generator.jar "https://repo1.maven.org/maven2/$jar"
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Cameras", "version": "1" },
  "paths": {
    "/cameras/{id}": {
      "get": {
        "operationId": "camera_by_id",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": {
          "200": {
            "description": "One camera.",
            "content": {
              "application/json": {
                "schema": {
                  "allOf": [
                    { "$ref": "#/components/schemas/Camera" },
                    { "type": "object", "required": ["at"], "properties": { "at": { "type": "string" } } }
                  ]
                }
              }
            }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Camera": {
        "type": "object",
        "required": ["id", "road"],
        "properties": { "id": { "type": "string" }, "road": { "type": ["string", "null"] } }
      }
    }
  }
}
JSON
java -jar generator.jar generate -i openapi.json -g python -o made --global-property models >log.txt 2>&1 || { cat log.txt; exit 1; }
echo "openapi-generator $VERSION"
member() { sed -n 's/^    road: *\([A-Za-z]*\).*/\1/p' "$(find made -name "$1")"; }
alone=$(member camera.py)
joined=$(member camera_by_id200_response.py)
echo "road of the schema: $alone; of the reply by allOf: $joined"
[ "$alone" = Optional ] && [ "$joined" = StrictStr ] && echo "as described" || { echo "this has changed"; exit 1; }
