import { expect, test } from 'vitest';
import { type DetectionCase, detectTree, expectPlan, packageJson } from '../../testing/detect-tree.ts';
import { findLateApplication } from './late-application.ts';

const TABLE: readonly DetectionCase[] = [
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
    'Detected Python Flask (pip): python3 -m venv .venv, pip install -r requirements.txt, gunicorn --bind 0.0.0.0:$PORT --worker-class gthread --threads $WEB_THREADS --keep-alive 75 wsgi:application',
    [
      '.venv/bin/python',
      '-m',
      'gunicorn',
      '--bind',
      '0.0.0.0:$PORT',
      '--worker-class',
      'gthread',
      '--threads',
      '$WEB_THREADS',
      '--keep-alive',
      '75',
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
    'Detected Python Django (pip): python3 -m venv .venv, pip install -r requirements.txt, python manage.py collectstatic --noinput, gunicorn --bind 0.0.0.0:$PORT --worker-class gthread --threads $WEB_THREADS --keep-alive 75 mysite.wsgi:application',
    [
      '.venv/bin/python',
      '-m',
      'gunicorn',
      '--bind',
      '0.0.0.0:$PORT',
      '--worker-class',
      'gthread',
      '--threads',
      '$WEB_THREADS',
      '--keep-alive',
      '75',
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
];

test.each(TABLE)('%s', async (_what, tree, shown, start) => {
  const programs = ['node', 'npm', 'python3', ...(tree['uv.lock'] === undefined ? [] : ['uv'])];
  expectPlan(await detectTree(tree, programs), shown, start);
});

test('a gunicorn.conf.py decides about workers and threads', async () => {
  const tree = { 'requirements.txt': 'flask\ngunicorn', 'app.py': 'app = Flask(__name__)', 'gunicorn.conf.py': '' };
  expect((await detectTree(tree))?.start?.title).toBe('gunicorn --bind 0.0.0.0:$PORT app:app');
});

test.each([
  ['flask\ngunicorn', 'app = Flask(__name__)', {}, 'always'],
  ['fastapi\nuvicorn', 'app = FastAPI()', {}, 'with_workers'],
  ['fastapi\nuvicorn', 'app = FastAPI()', { Procfile: 'web: uvicorn main:app --workers 4' }, 'always'],
  ['flask', '', { Procfile: 'web: python migrate.py && gunicorn main:app' }, 'always'],
  ['flask\nwaitress', 'app = Flask(__name__)', {}, undefined],
])('whether a server listens before it has loaded the application: %j', async (requirements, main, more, late) => {
  const plan = await detectTree({ 'requirements.txt': requirements, 'main.py': main, ...more });
  expect(findLateApplication(plan!)).toBe(late);
});

test('a uv.lock without uv is obeyed by a uv that pip fetches', async () => {
  const plan = await detectTree({ 'uv.lock': '', 'pyproject.toml': '[project]\nname="x"', 'main.py': '' });
  expect(plan?.install.map(({ argv }) => argv.slice(0, 2))).toEqual([
    ['python3', '-m'],
    ['$HOME/.berth-tools/uv/bin/python', '-m'],
    ['python3', '-m'],
    ['$HOME/.berth-tools/uv/bin/uv', 'sync'],
  ]);
});

test('a development server is reported if it is used', async () => {
  const tree = { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' };
  expect((await detectTree(tree))?.notices.join()).toMatch(/development server/);
  expect((await detectTree({ ...tree, Procfile: 'web: x' }))?.notices).toEqual([]);
});
