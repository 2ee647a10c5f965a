#!/usr/bin/env bash
# Expected: gtfs-realtime-bindings, MobilityData's decoder of GTFS-Realtime for JavaScript, needs a protobuf runtime.
# So it is: version 2.2.0 has the command line of protobufjs among its runtime dependencies, so an application installs a
# documentation generator, parsers and their dependencies. The decoder alone needs protobufjs and long: it decodes without the rest.
set -eu
VERSION=2.2.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent "gtfs-realtime-bindings@$VERSION"
all=$(npm ls --all --parseable 2>/dev/null | tail -n +2 | wc -l)
direct=$(node -p "Object.keys(require('gtfs-realtime-bindings/package.json').dependencies).sort().join(' ')")
echo "gtfs-realtime-bindings $VERSION: $all packages, its runtime dependencies: $direct"
rm -rf node_modules/protobufjs-cli node_modules/jsdoc node_modules/espree node_modules/escodegen node_modules/uglify-js
decoded=$(node -e "
const { transit_realtime: rt } = require('gtfs-realtime-bindings')
const feed = rt.FeedMessage.create({ header: { gtfsRealtimeVersion: '2.0', timestamp: 1764300000 }, entity: [{ id: '1', vehicle: { position: { latitude: 40.4, longitude: -3.7 } } }] })
const again = rt.FeedMessage.decode(rt.FeedMessage.encode(feed).finish())
console.log(again.entity.length)")
echo "without the command line it decodes $decoded entity"
case " $direct " in *" protobufjs-cli "*) ;; *) echo "this has changed"; exit 1 ;; esac
[ "$all" -gt 40 ] && [ "$decoded" = 1 ] && echo "as described" || { echo "this has changed"; exit 1; }
