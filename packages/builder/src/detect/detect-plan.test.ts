import { describe, expect, test } from 'vitest';
import { type DetectionCase, detectTree, expectPlan, packageJson, type Tree } from '../testing/detect-tree.ts';

const TABLE: readonly DetectionCase[] = [
  // Procfile and berth.json
  [
    'a Procfile over Python, by uv run and without python',
    {
      'requirements.txt': 'flask',
      'app.py': 'app = Flask()',
      Procfile: '# comment\n\nrelease: python migrate.py\nweb:  uv run gunicorn app:app -b :$PORT\n',
    },
    'Detected Python Flask (pip): python3 -m venv .venv, pip install -r requirements.txt, python migrate.py (release), uv run gunicorn app:app -b :$PORT',
    ['gunicorn', 'app:app', '-b', ':$PORT'],
  ],
  [
    'a Procfile alone',
    { Procfile: 'web: ./serve --port $PORT' },
    'Detected Procfile: ./serve --port $PORT',
    ['./serve', '--port', '$PORT'],
  ],
  [
    'a Procfile for a Node project that would pass for a site',
    {
      ...packageJson({ scripts: { build: 'x' }, dependencies: { a: '1' } }),
      'index.html': '',
      Procfile: 'web: node srv.js',
    },
    'Detected Node.js (npm): npm install, npm run build, node srv.js',
    ['node', 'srv.js'],
  ],
  [
    'a Procfile that calls npm',
    { ...packageJson({ scripts: { start: 'node server.js', prod: 'npm start' } }), Procfile: 'web: npm run prod' },
    'Detected Node.js (npm): node server.js',
    ['node', 'server.js'],
  ],
  [
    'a script called like what every object has',
    packageJson({ scripts: { start: 'npm run constructor' } }),
    'Detected Node.js (npm): npm run constructor',
    ['npm', 'run', 'constructor'],
  ],
  [
    'a Procfile with python',
    { Procfile: 'web: python -m http.server $PORT', 'app.py': '' },
    'Detected Python: python -m http.server $PORT',
    ['python3', '-m', 'http.server', '$PORT'],
  ],
  [
    'berth.json over everything',
    {
      ...packageJson({ scripts: { start: 'a', build: 'b' }, dependencies: { a: '1' } }),
      Procfile: 'web: c\nworker: d',
      'berth.json': JSON.stringify({
        install: [],
        build: [['make', 'all'], 'make more && make done'],
        start: ['./run', '$PORT', '$$'],
      }),
    },
    'Detected Node.js (npm): make all, make more && make done, ./run $PORT $$',
    ['./run', '$PORT', '$$$$'],
  ],
  [
    'berth.json with a Dockerfile',
    { Dockerfile: '', 'berth.json': '{"start": "./x"}' },
    'Detected berth.json: ./x',
    ['./x'],
  ],
  [
    'a static folder said by berth.json',
    { 'berth.json': '{"static": {"folder": "./site/", "single_page": true}}', 'site/index.html': '' },
    'Detected a static site: serve the files of site/',
    null,
  ],
  // Others
  [
    'Go',
    { 'go.mod': 'module x', 'x.go': '// x\npackage main\n' },
    'Detected Go: go build -trimpath -o .berth/app ., ./.berth/app',
    ['./.berth/app'],
  ],
  [
    'Go in cmd',
    { 'go.mod': 'module x', 'lib.go': 'package x', 'cmd/x/main.go': 'package main', 'cmd/lib/l.go': 'package lib' },
    'Detected Go: go build -trimpath -o .berth/app ./cmd/x, ./.berth/app',
    ['./.berth/app'],
  ],
  [
    'Deno',
    { 'deno.json': '{ "imports": {} }', 'main.ts': '' },
    'Detected Deno: deno cache main.ts, deno run --allow-all --cached-only main.ts',
    ['deno', 'run', '--allow-all', '--cached-only', 'main.ts'],
  ],
  [
    'a Deno task',
    { 'deno.jsonc': '{ /* x */ "tasks": { "start": "deno run main.ts" } }' },
    'Detected Deno: deno install, deno task start',
    ['deno', 'task', 'start'],
  ],
  ['a static site', { 'index.html': '' }, 'Detected a static site: serve its files', null],
  ['a static site in public', { 'public/index.html': '' }, 'Detected a static site: serve the files of public/', null],
];

describe('recognized projects', () => {
  test.each(TABLE)('%s', async (_what, tree, shown, start) => {
    expectPlan(await detectTree(tree), shown, start);
  });

  test.each<[Tree]>([
    [{}],
    [{ 'README.md': '' }],
    [{ 'folder/package.json': '{}' }],
    [{ 'my-app/main.py': 'app = FastAPI()' }],
  ])('nothing in %j', async (tree) => {
    expect(await detectTree(tree)).toBeUndefined();
  });
});

describe('refused projects, with a reason', () => {
  test.each<[string, Tree, RegExp]>([
    ['only a Dockerfile', { Dockerfile: '' }, /Only the Dockerfile.*--runtime docker/],
    // Fails when `isProgram` accepts any page as the project.
    ['a Dockerfile beside pages of its program', { Dockerfile: '', 'public/index.html': '' }, /--runtime docker/],
    ['a Containerfile beside a library', { Containerfile: '', 'go.mod': '', 'x.go': 'package x' }, /--runtime docker/],
    ['a package.json without a start', packageJson({ dependencies: { a: '1' } }), /neither a "start" script nor/],
    ['a package.json that is not JSON', { 'package.json': '{' }, /package\.json is not JSON/],
    [
      'a package.json of another form',
      packageJson({ scripts: { start: 5 } }),
      /package\.json is wrong: scripts\.start/,
    ],
    [
      'a start script with an open quote',
      packageJson({ scripts: { start: "node 'a" } }),
      /start script.*quote is not closed/,
    ],
    ['a Python project without a start', { 'requirements.txt': 'requests' }, /has no application/],
    ['a pyproject.toml that is not TOML', { 'pyproject.toml': '[x' }, /pyproject\.toml is not TOML/],
    ['a Go module without a program', { 'go.mod': 'module x', 'x.go': 'package x' }, /no "package main"/],
    [
      'a Go module with two programs',
      { 'go.mod': '', 'cmd/a/a.go': 'package main', 'cmd/b/b.go': 'package main' },
      /cmd\/a, .*cmd\/b/,
    ],
    ['an unknown key in berth.json', { 'berth.json': '{"strat": "x"}' }, /berth\.json is not valid: .*strat/],
    ['berth.json that is not JSON', { 'berth.json': 'start: x' }, /berth\.json is not JSON/],
    ['berth.json with start and static', { 'berth.json': '{"start": "x", "static": "."}' }, /both/],
    ['berth.json with a folder outside', { 'berth.json': '{"static": "../x"}' }, /inside the project/],
    ['berth.json that starts nothing', { 'berth.json': '{"build": "make"}' }, /neither "start" nor "static"/],
    [
      'a worker',
      { 'main.py': '', Procfile: 'web: x\nworker: y\nclock: z' },
      /doesn't run: "worker", "clock"\. .*\$PORT/,
    ],
    ['a line without a process type', { Procfile: 'web: x\nworker y' }, /Line 2 of the Procfile/],
    ['two web lines', { Procfile: 'web: x\nweb: y' }, /two "web" lines/],
    ['an empty release line', { 'main.py': '', Procfile: 'release:' }, /release line of the Procfile/],
    ['an empty web line', { Procfile: 'web:' }, /web line of the Procfile/],
  ])('%s', async (_what, tree, why) => {
    await expect(detectTree(tree)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringMatching(why) });
  });
});

test('hostile sources are read in no time', async () => {
  const long = 200_000;
  const trees: Tree[] = [
    { 'requirements.txt': 'flask', 'main.py': 'a\n'.repeat(long) + '\n'.repeat(long) },
    {
      'requirements.txt': 'flask',
      'main.py': `a${' '.repeat(long)}`,
      'a/b.py': `def create_app():\n${' '.repeat(long)}x`,
    },
    { 'requirements.txt': 'flask', 'app/main.py': `app = FastAPI()${'\n'.repeat(long)}`, 'app/x.py': '' },
    { 'requirements.txt': `-r${' '.repeat(long)}\u2028x`, 'main.py': '' },
    { 'requirements.txt': `a${'.'.repeat(long)}[${'['.repeat(long)}`, 'main.py': '' },
    { 'deno.json': '"tasks":{'.repeat(long / 10), 'main.ts': '' },
    { 'pyproject.toml': `a = ${'['.repeat(long)}`, 'main.py': '' },
    { Procfile: `${' '.repeat(long)}web`, 'index.html': '' },
    { ...packageJson({ main: 'x.js' }), 'index.html': '', 'x.js': `listen${' '.repeat(long)}`.repeat(5) },
    { ...packageJson({ scripts: { start: `vite${' '.repeat(long)}x`, build: 'x' } }) },
  ];
  for (const tree of trees) {
    const startMs = performance.now();
    await detectTree(tree).catch(({ code }) => expect(code).toBe('build_failed'));
    expect(performance.now() - startMs, JSON.stringify(tree).slice(0, 60)).toBeLessThan(1_000);
  }
});

describe('details of plans', () => {
  // Fails when a Dockerfile next to a project is refused, or the notice about it is left out.
  test('a Dockerfile next to a recognized project is ignored with a notice', async () => {
    const tree = { Dockerfile: '', ...packageJson({ scripts: { start: 'node a.js' } }) };
    const plan = await detectTree(tree);
    expect(plan?.start?.title).toBe('node a.js');
    expect(plan?.notices).toEqual([
      'The Dockerfile is ignored: the process runtime builds the project as Node.js (npm)',
    ]);
  });

  test('a Procfile whose process types berth.json replaces says so; its release command runs', async () => {
    const plan = await detectTree({ Procfile: 'web: a\nrelease: b\nworker: c', 'berth.json': '{"start": "d"}' });
    expect(plan?.release?.title).toBe('b');
    expect(plan?.notices).toEqual([
      'berth.json defines the start command, so the Procfile\'s "web", "worker" are not run',
    ]);
  });

  test('the environment of berth.json is for the build', async () => {
    const plan = await detectTree({ 'main.py': '', 'berth.json': '{"env": {"MODE": "x"}}' });
    expect(plan?.buildEnv).toEqual({ MODE: 'x' });
    expect(plan?.env).not.toHaveProperty('MODE');
  });

  // Fails when what follows `run` is taken for a program as it is: "main.py" and "http.server" are none, and such
  // projects were refused.
  test.each([
    ['uv run main.py --port $PORT', ['python3', 'main.py', '--port', '$PORT']],
    ['uv run --no-sync src/app.py', ['python3', 'src/app.py']],
    ['uv run -m uvicorn app:app', ['python3', '-m', 'uvicorn', 'app:app']],
    ['uv run --module app.main', ['python3', '-m', 'app.main']],
    ['uv run python app.py', ['python3', 'app.py']],
    ['uv run flask run', ['flask', 'run']],
    ['poetry run gunicorn app:app', ['gunicorn', 'app:app']],
    ['pipenv run python -m app', ['python3', '-m', 'app']],
    // Poetry runs programs alone.
    ['poetry run main.py', ['main.py']],
    ['uv run', ['uv', 'run']],
    ['uv sync', ['uv', 'sync']],
    ['python app.py', ['python3', 'app.py']],
  ])('the Procfile line "%s" starts what it would in the project', async (line, argv) => {
    const plan = await detectTree({ 'requirements.txt': 'flask', Procfile: `web: ${line}` });
    expect(plan?.start).toEqual({ title: line, argv });
  });

  test('a machine with a program named python runs that one', async () => {
    const tree = { 'requirements.txt': 'flask', Procfile: 'web: uv run main.py\nrelease: python migrate.py' };
    const plan = await detectTree(tree, ['python', 'python3']);
    expect([plan?.start?.argv, plan?.release?.argv]).toEqual([
      ['python', 'main.py'],
      ['python', 'migrate.py'],
    ]);
  });
});
