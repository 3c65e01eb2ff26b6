import { describe, expect, test } from 'vitest';
import { createMemoryFiles } from '../testing/memory-files.ts';
import { detectPlan } from './detect-plan.ts';
import { describePlan } from './plan.ts';

type Tree = Readonly<Record<string, string>>;

const detect = (tree: Tree, programs: readonly string[] = ['node', 'npm', 'python3', 'go']) =>
  detectPlan(createMemoryFiles(tree), async (name) => programs.includes(name));

const packageJson = (fields: object) => ({ 'package.json': JSON.stringify(fields) });

/** What is shown, and the argv of the start. */
const TABLE: readonly (readonly [what: string, tree: Tree, shown: string, start: readonly string[] | null])[] = [
  // Node
  [
    'express with a lock file',
    {
      ...packageJson({ scripts: { start: 'node server.js' }, dependencies: { express: '5' } }),
      'package-lock.json': '{}',
      'server.js': '',
    },
    'Detected Node.js (npm): npm ci, node server.js',
    ['node', 'server.js'],
  ],
  [
    'without a lock file, with a build',
    packageJson({ scripts: { start: 'node dist/a.js', build: 'tsc' }, devDependencies: { typescript: '5' } }),
    'Detected Node.js (npm): npm install, npm run build, node dist/a.js',
    ['node', 'dist/a.js'],
  ],
  [
    'nothing to install',
    { ...packageJson({ scripts: { start: 'node .' } }), 'package-lock.json': '{}' },
    'Detected Node.js (npm): node .',
    ['node', '.'],
  ],
  [
    'a start that needs a shell',
    packageJson({ scripts: { start: 'NODE_ENV=production node server.js' } }),
    'Detected Node.js (npm): NODE_ENV=production node server.js',
    ['/bin/sh', '-c', 'NODE_ENV=production node server.js'],
  ],
  [
    'a start with a prestart stays with npm',
    packageJson({ scripts: { prestart: 'node prepare.js', start: 'node server.js' } }),
    'Detected Node.js (npm): npm run start',
    ['npm', 'run', 'start'],
  ],
  [
    'a start that calls another script',
    packageJson({ scripts: { start: 'npm run serve', serve: 'node server.js' } }),
    'Detected Node.js (npm): node server.js',
    ['node', 'server.js'],
  ],
  [
    'scripts in a circle',
    packageJson({ scripts: { start: 'npm run b', b: 'npm start' } }),
    'Detected Node.js (npm): npm start',
    ['npm', 'start'],
  ],
  [
    'main',
    { ...packageJson({ main: './lib/x.js' }), 'lib/x.js': '' },
    'Detected Node.js (npm): node lib/x.js',
    ['node', 'lib/x.js'],
  ],
  [
    'main without extension',
    { ...packageJson({ main: 'x' }), 'x.js': '' },
    'Detected Node.js (npm): node x.js',
    ['node', 'x.js'],
  ],
  [
    'a main that the build makes',
    packageJson({ main: 'dist/main.js', scripts: { build: 'tsc' } }),
    'Detected Node.js (npm): npm run build, node dist/main.js',
    ['node', 'dist/main.js'],
  ],
  [
    'server.js',
    { ...packageJson({}), 'server.js': '' },
    'Detected Node.js (npm): node server.js',
    ['node', 'server.js'],
  ],
  ['a lone server.js', { 'server.js': '' }, 'Detected Node.js: node server.js', ['node', 'server.js']],
  [
    'pnpm, not installed here',
    {
      ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }),
      'pnpm-lock.yaml': "lockfileVersion: '6.0'",
    },
    'Detected Node.js (pnpm): pnpm install --frozen-lockfile, node a',
    ['node', 'a'],
  ],
  [
    'yarn',
    {
      ...packageJson({ scripts: { start: 'yarn serve', serve: 'node a' }, dependencies: { a: '1' } }),
      'yarn.lock': '# yarn lockfile v1',
    },
    'Detected Node.js (yarn): yarn install --frozen-lockfile, node a',
    ['node', 'a'],
  ],
  [
    'a later yarn',
    {
      ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }),
      'yarn.lock': '__metadata:\n  version: 8',
    },
    'Detected Node.js (yarn): yarn install --immutable, node a',
    ['node', 'a'],
  ],
  [
    'bun.lock without bun',
    { ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }), 'bun.lock': '{}' },
    'Detected Node.js (npm): npm install, node a',
    ['node', 'a'],
  ],
  [
    'next without a start script',
    packageJson({ scripts: { build: 'next build' }, dependencies: { next: '16' } }),
    'Detected Node.js (npm): npm install, npm run build, next start',
    ['next', 'start'],
  ],
  [
    'vite: a site to build',
    {
      ...packageJson({
        scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
        devDependencies: { vite: '8' },
      }),
      'index.html': '',
    },
    'Detected a site built with Node.js (npm): npm install, npm run build, serve the site that it makes',
    null,
  ],
  [
    'a start script that is a development server',
    packageJson({ scripts: { start: 'react-scripts start', build: 'react-scripts build' } }),
    'Detected a site built with Node.js (npm): npm run build, serve the site that it makes',
    null,
  ],
  [
    'a plain site with a package.json for its tools and a script of its own',
    { ...packageJson({ main: 'app.js' }), 'index.html': '', 'app.js': 'document.title = 1' },
    'Detected a static site: serve its files',
    null,
  ],
  [
    'a server that also has an index.html',
    { ...packageJson({ main: 'app.js' }), 'index.html': '', 'app.js': 'http.createServer(() => {})' },
    'Detected Node.js (npm): node app.js',
    ['node', 'app.js'],
  ],
  // Python
  ['a lone main.py', { 'main.py': '' }, 'Detected Python: python main.py', ['python3', 'main.py']],
  [
    'app.py beside an index.html',
    { 'app.py': '', 'index.html': '' },
    'Detected Python: python app.py',
    ['python3', 'app.py'],
  ],
  [
    'requirements that ask for nothing',
    { 'requirements.txt': '# none\n', 'main.py': '' },
    'Detected Python: python main.py',
    ['python3', 'main.py'],
  ],
  [
    'FastAPI with uvicorn',
    { 'requirements.txt': 'fastapi\nuvicorn[standard]>=0.30 # server', 'main.py': 'app = FastAPI()' },
    'Detected Python FastAPI (pip): python3 -m venv .venv, pip install -r requirements.txt, uvicorn main:app --host 0.0.0.0 --port $PORT',
    ['.venv/bin/python', '-m', 'uvicorn', 'main:app', '--host', '0.0.0.0', '--port', '$PORT'],
  ],
  [
    'FastAPI without a server, in src',
    { 'requirements.txt': 'FastAPI==1', 'src/api.py': 'web: FastAPI = fastapi.FastAPI(title="x")' },
    'Detected Python FastAPI (pip): python3 -m venv .venv, pip install -r requirements.txt, pip install uvicorn, uvicorn --app-dir src api:web --host 0.0.0.0 --port $PORT',
    ['.venv/bin/python', '-m', 'uvicorn', '--app-dir', 'src', 'api:web', '--host', '0.0.0.0', '--port', '$PORT'],
  ],
  [
    'a FastAPI factory in a package',
    {
      'requirements.txt': 'fastapi[standard]',
      'app/__init__.py': '',
      'app/main.py': 'def create_app() -> FastAPI:\n\n    a = FastAPI()\n',
    },
    'Detected Python FastAPI (pip): python3 -m venv .venv, pip install -r requirements.txt, uvicorn --factory app.main:create_app --host 0.0.0.0 --port $PORT',
    ['.venv/bin/python', '-m', 'uvicorn', '--factory', 'app.main:create_app', '--host', '0.0.0.0', '--port', '$PORT'],
  ],
  [
    'uv.lock with uv',
    {
      'uv.lock': '[[package]]\nname = "uvicorn"',
      'pyproject.toml': '[project]\nname = "x"',
      'main.py': 'app = FastAPI()',
    },
    'Detected Python FastAPI (uv): uv venv, uv sync --frozen --no-dev, uvicorn main:app --host 0.0.0.0 --port $PORT',
    ['.venv/bin/python', '-m', 'uvicorn', 'main:app', '--host', '0.0.0.0', '--port', '$PORT'],
  ],
  [
    'Flask with gunicorn',
    { 'requirements.txt': 'Flask\ngunicorn', 'wsgi.py': 'application = Flask(__name__)' },
    'Detected Python Flask (pip): python3 -m venv .venv, pip install -r requirements.txt, gunicorn --bind 0.0.0.0:$PORT --workers 1 --threads 16 wsgi:application',
    [
      '.venv/bin/python',
      '-m',
      'gunicorn',
      '--bind',
      '0.0.0.0:$PORT',
      '--workers',
      '1',
      '--threads',
      '16',
      'wsgi:application',
    ],
  ],
  [
    'Flask alone',
    { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' },
    'Detected Python Flask (pip): python3 -m venv .venv, pip install -r requirements.txt, flask --app app:app run --host 0.0.0.0 --port $PORT',
    ['.venv/bin/python', '-m', 'flask', '--app', 'app:app', 'run', '--host', '0.0.0.0', '--port', '$PORT'],
  ],
  [
    'Django',
    {
      'requirements.txt': 'django\ngunicorn\nwhitenoise',
      'manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")',
      'mysite/wsgi.py': '',
    },
    'Detected Python Django (pip): python3 -m venv .venv, pip install -r requirements.txt, python manage.py collectstatic --noinput, gunicorn --bind 0.0.0.0:$PORT --workers 1 --threads 16 mysite.wsgi:application',
    [
      '.venv/bin/python',
      '-m',
      'gunicorn',
      '--bind',
      '0.0.0.0:$PORT',
      '--workers',
      '1',
      '--threads',
      '16',
      'mysite.wsgi:application',
    ],
  ],
  [
    'a package with a pyproject.toml',
    {
      'pyproject.toml':
        '[project]\nname = "x"\ndependencies = ["aiohttp>=3"]\n[project.scripts]\nserve = "x:main"\n[build-system]\nrequires = ["hatchling"]',
    },
    'Detected Python (pip): python3 -m venv .venv, pip install (1 of pyproject.toml), pip install ., serve',
    ['serve'],
  ],
  [
    'Streamlit',
    { 'requirements.txt': 'streamlit', 'app.py': 'import streamlit as st' },
    'Detected Python Streamlit (pip): python3 -m venv .venv, pip install -r requirements.txt, streamlit run app.py --server.address 0.0.0.0 --server.port $PORT --server.headless true',
    [
      '.venv/bin/python',
      '-m',
      'streamlit',
      'run',
      'app.py',
      '--server.address',
      '0.0.0.0',
      '--server.port',
      '$PORT',
      '--server.headless',
      'true',
    ],
  ],
  [
    'a Python server with a package.json for its styles',
    {
      ...packageJson({ devDependencies: { tailwindcss: '4' }, scripts: { build: 'tailwindcss' } }),
      'requirements.txt': 'aiohttp',
      'main.py': '',
    },
    'Detected Python (pip): python3 -m venv .venv, pip install -r requirements.txt, python main.py',
    ['.venv/bin/python', 'main.py'],
  ],
  // Procfile and berth.json
  [
    'a Procfile over Python, by uv run and without python',
    {
      'requirements.txt': 'flask',
      'app.py': 'app = Flask()',
      Procfile: 'release: x\nweb:  uv run gunicorn app:app -b :$PORT\n',
    },
    'Detected Python Flask (pip): python3 -m venv .venv, pip install -r requirements.txt, uv run gunicorn app:app -b :$PORT',
    ['gunicorn', 'app:app', '-b', ':$PORT'],
  ],
  [
    'a Procfile alone',
    { Procfile: 'web: ./serve --port $PORT' },
    'Detected Procfile: ./serve --port $PORT',
    ['./serve', '--port', '$PORT'],
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
      Procfile: 'web: c',
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
    'Detected Deno: deno task start',
    ['deno', 'task', 'start'],
  ],
  ['a static site', { 'index.html': '' }, 'Detected a static site: serve its files', null],
  ['a static site in public', { 'public/index.html': '' }, 'Detected a static site: serve the files of public/', null],
];

describe('what is recognised', () => {
  test.each(TABLE)('%s', async (_what, tree, shown, start) => {
    const plan = await detect(tree, ['node', 'npm', 'python3', 'go', ...(tree['uv.lock'] === undefined ? [] : ['uv'])]);
    expect(plan && describePlan(plan)).toBe(shown);
    expect(plan?.start?.argv ?? null).toEqual(start);
    expect((plan?.start === null) === (plan?.site !== null)).toBe(true);
  });

  test.each<[Tree]>([
    [{}],
    [{ 'README.md': '' }],
    [{ 'folder/package.json': '{}' }],
    [{ Procfile: 'worker: x' }],
    [{ 'my-app/main.py': 'app = FastAPI()' }],
  ])('nothing in %j', async (tree) => {
    expect(await detect(tree)).toBeUndefined();
  });
});

describe('what is refused, with a reason', () => {
  test.each<[string, Tree, RegExp]>([
    [
      'a Dockerfile',
      { Dockerfile: '', ...packageJson({ scripts: { start: 'a' } }) },
      /container engine.*--runtime docker/,
    ],
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
    ['a Python project without a start', { 'requirements.txt': 'requests' }, /no application in it/],
    ['a pyproject.toml that is not TOML', { 'pyproject.toml': '[x' }, /pyproject\.toml is not TOML/],
    ['a Go module without a program', { 'go.mod': 'module x', 'x.go': 'package x' }, /no "package main"/],
    [
      'a Go module with two programs',
      { 'go.mod': '', 'cmd/a/a.go': 'package main', 'cmd/b/b.go': 'package main' },
      /cmd\/a, .*cmd\/b/,
    ],
    ['an unknown key in berth.json', { 'berth.json': '{"strat": "x"}' }, /berth\.json is wrong: .*strat/],
    ['berth.json that is not JSON', { 'berth.json': 'start: x' }, /berth\.json is not JSON/],
    ['berth.json with start and static', { 'berth.json': '{"start": "x", "static": "."}' }, /both/],
    ['berth.json with a folder outside', { 'berth.json': '{"static": "../x"}' }, /inside the project/],
    ['berth.json that starts nothing', { 'berth.json': '{"build": "make"}' }, /neither "start" nor "static"/],
    ['an empty web line', { Procfile: 'web:' }, /web line of the Procfile/],
  ])('%s', async (_what, tree, why) => {
    await expect(detect(tree)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringMatching(why) });
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
    await detect(tree).catch(({ code }) => expect(code).toBe('build_failed'));
    expect(performance.now() - startMs, JSON.stringify(tree).slice(0, 60)).toBeLessThan(1_000);
  }
});

describe('details of plans', () => {
  test('dependencies are kept by package.json and the lock file', async () => {
    const plan = await detect({
      ...packageJson({ main: 'a.js', dependencies: { a: '1' } }),
      'a.js': '',
      'package-lock.json': '{}',
    });
    expect(plan?.dependencies).toEqual({
      folders: ['node_modules'],
      lockFiles: ['package.json', '.npmrc', 'package-lock.json'],
      isPinned: true,
    });
    expect(plan).toMatchObject({ sharedFolders: ['node_modules'], env: { NODE_ENV: 'production', HOST: '0.0.0.0' } });
  });

  test.each([
    ['an install script', { scripts: { start: 'a', postinstall: 'prisma generate' } }],
    ['workspaces', { scripts: { start: 'a' }, workspaces: ['packages/*'] }],
    ['a folder of the source', { scripts: { start: 'a' }, dependencies: { lib: 'file:./lib' } }],
  ])('and not with %s', async (_what, fields) => {
    expect((await detect(packageJson({ dependencies: { a: '1' }, ...fields })))?.dependencies).toBeNull();
  });

  test('git hooks do not count as an install script', async () => {
    const plan = await detect(packageJson({ scripts: { start: 'a', prepare: 'husky' }, dependencies: { a: '1' } }));
    expect(plan?.dependencies).not.toBeNull();
  });

  test('pnpm comes by npx in the version that reads the lock file', async () => {
    const tree = {
      ...packageJson({ scripts: { start: 'a' }, dependencies: { a: '1' } }),
      'pnpm-lock.yaml': "lockfileVersion: '6.0'",
    };
    const plan = await detect(tree);
    expect(plan?.install[0]?.argv).toEqual(['npx', '--yes', 'pnpm@8', 'install', '--frozen-lockfile']);
    expect((await detect(tree, ['node', 'pnpm']))?.install[0]?.argv).toEqual(['pnpm', 'install', '--frozen-lockfile']);
  });

  test('a uv.lock without uv is obeyed by a uv that pip fetches', async () => {
    const plan = await detect({ 'uv.lock': '', 'pyproject.toml': '[project]\nname="x"', 'main.py': '' });
    expect(plan?.install.map(({ argv }) => argv.slice(0, 2))).toEqual([
      ['python3', '-m'],
      ['.venv/bin/python', '-m'],
      ['.venv/bin/uv', 'sync'],
    ]);
  });

  test('the environment of berth.json is for the build', async () => {
    const plan = await detect({ 'main.py': '', 'berth.json': '{"env": {"MODE": "x"}}' });
    expect(plan?.buildEnv).toEqual({ MODE: 'x' });
    expect(plan?.env).not.toHaveProperty('MODE');
  });

  test('a development server is said to be one, unless it is not used', async () => {
    const tree = { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' };
    expect((await detect(tree))?.notices.join()).toMatch(/development server/);
    expect((await detect({ ...tree, Procfile: 'web: x' }))?.notices).toEqual([]);
  });
});
