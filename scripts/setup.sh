# Sourced by the commands beside it: puts the project's own Node on the path and installs missing programs with a message.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH="$project/node_modules/.bin:$PATH"
export NODE_NO_WARNINGS=1
# Caches the compiled code of modules, which halves the start-up time of each process of the project.
export NODE_COMPILE_CACHE="$project/node_modules/.cache/node-compile"

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Installs the locked npm packages, again after a change of the lock file.
need_packages() {
  local stamp="$project/node_modules/.installed" lock="$project/package-lock.json"
  if [ -f "$stamp" ] && cmp -s "$stamp" "$lock"; then return; fi
  command -v npm >/dev/null || fail "npm is missing. Install Node.js with npm (Debian: apt-get install nodejs npm), then run this again."
  say "Installing npm packages (once; about a minute) ..."
  (cd "$project" && npm ci --no-audit --no-fund --loglevel=error) >&2 || fail "npm ci failed: see above."
  [ -x "$project/node_modules/.bin/node" ] || fail "the npm package 'node' did not install its binary: run 'npm rebuild node' and look at its output."
  cp "$lock" "$stamp"
}

# Compiles the code of the service, again after a change of it, where the cache can be written.
compile_code() {
  local stamp="$NODE_COMPILE_CACHE/.compiled"
  if [ -f "$stamp" ] && [ -z "$(find "$project"/{api,jobs,lake,models,scripts,package-lock.json} -type f ! -name '*.md' -newer "$stamp" -print -quit)" ]; then return; fi
  mkdir -p "$NODE_COMPILE_CACHE" 2>/dev/null && [ -w "$NODE_COMPILE_CACHE" ] || return 0
  say "Compiling (after each change of the code; some seconds) ..."
  if node "$project/scripts/service/compile.ts" >&2; then touch "$stamp"; fi
}

# Threads of Node's pool: each lake query takes some, and file reads need others (measured: 37 s for one beside four queries, else 46 ms).
# A QUERY_SLOTS that is not a number is refused later with a clear message.
set_pool() {
  local slots="${QUERY_SLOTS:-2}"
  [[ "$slots" =~ ^[1-9][0-9]?$ ]] || slots=2
  export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-$((4 + 4 * slots))}"
}

# Keeps the memory of a process that runs feeds small: `node "${node_flags[@]}"` has the worker's flags from scripts/service/processes.ts.
set_memory() {
  export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
  export DUCKDB_JE_MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0,narenas:2
  node_flags=(--max-semi-space-size=4 --heap-growing-percent=30)
}

# True once a folder of .cache/ is a Python environment with these packages; it is made again if it is incomplete or has others.
have_python_packages() {
  local folder="$project/.cache/$1"
  shift
  if [ -x "$folder/bin/python" ] && [ "$(cat "$folder/.installed" 2>/dev/null)" = "$*" ]; then return; fi
  command -v python3 >/dev/null || return 1
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  python3 -m venv "$folder" >&2 && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2 &&
    printf '%s\n' "$*" >"$folder/.installed"
}

# The same for npm packages and options of npm.
have_npm_packages() {
  local folder="$project/.cache/$1"
  shift
  [ "$(cat "$folder/.installed" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  printf '{"private":true,"type":"module"}' >"$folder/package.json"
  npm install --prefix "$folder" --ignore-scripts --save-exact --no-audit --no-fund --loglevel=error "$@" >&2 &&
    printf '%s\n' "$*" >"$folder/.installed"
}

# True once Iceberg's jars for a version of Spark (4.0) are there: sets spark_jars to their paths, separated by commas.
have_spark_jars() {
  local jar folder="$project/.cache/engines/jars" iceberg="${2:-1.10.0}"
  spark_jars=""
  for jar in "iceberg-spark-runtime-${1:-4.0}_2.13" iceberg-aws-bundle; do
    if [ ! -f "$folder/$jar-$iceberg.jar" ]; then
      command -v mvn >/dev/null || return 1
      say "Fetching $jar (once; some 50 MB) ..."
      mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
        -Dartifact="org.apache.iceberg:$jar:$iceberg" -DoutputDirectory="$folder" >&2 || return 1
    fi
    spark_jars="${spark_jars:+$spark_jars,}$folder/$jar-$iceberg.jar"
  done
}

# Installs Spark (430 MB) and sets SPARK_PYTHON and SPARK_JARS, unless they are set.
need_spark() {
  command -v java >/dev/null || fail "Spark needs Java 17 or 21 (Debian: apt-get install openjdk-17-jre-headless)."
  if [ -z "${SPARK_PYTHON:-}" ]; then
    have_python_packages spark/venv pyspark==4.0.1 || fail "pyspark could not be installed: it needs python3 with venv and a network."
    export SPARK_PYTHON="$project/.cache/spark/venv/bin/python"
  fi
  if [ -z "${SPARK_JARS:-}" ]; then
    have_spark_jars || fail "Iceberg's jars could not be fetched: Maven (Debian: apt-get install maven) and a network are needed."
    export SPARK_JARS="$spark_jars"
  fi
}

# Installs a missing Debian package with a message, if possible; 'how' states its use.
add_package() {
  local package="$1" how="$2" sudo=""
  if [ "$(id -u)" != 0 ]; then sudo="sudo -n"; fi
  if command -v apt-get >/dev/null && [ -z "${NO_INSTALL:-}" ] && { [ -z "$sudo" ] || $sudo true 2>/dev/null; }; then
    say "Installing Debian's $package ($how) ..."
    { $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" ||
      { $sudo apt-get update && $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package"; }; } >/dev/null 2>&1 || true
  fi
}

# Requires a redis-server binary, unless REDIS_URL names a server to use.
need_redis() {
  [ -z "${REDIS_URL:-}" ] || return 0
  ! command -v redis-server >/dev/null || return 0
  add_package redis-server "it is run on a private socket, not as a service"
  command -v redis-server >/dev/null || fail "redis-server is missing and could not be installed. One of these gives it:
  apt-get install redis-server
  brew install redis
  docker run -d -p 6379:6379 redis:7   and start again with REDIS_URL=redis://127.0.0.1:6379"
}

# Installs a browser for tests of pages if possible; without one they are skipped.
want_browser() {
  [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null || return 0
  add_package chromium "it is used by tests of pages, without a window; some 300 MB"
}
