import { expect, test } from 'vitest';
import { detectTree, type Tree } from '../../testing/detect-tree.ts';

const INSTALLED = { python3: '3.11.2', 'python3.13': '3.13.1', 'python3.9': '3.9.18' };
const detect = (tree: Tree, programs: readonly string[] = Object.keys(INSTALLED)) =>
  detectTree({ 'main.py': '', ...tree }, programs, { ...INSTALLED, uv: '0.9.1' });
const project = (python: string) => ({ 'pyproject.toml': `[project]\nname = "x"\nrequires-python = "${python}"\n` });
const venvOf = async (tree: Tree) => (await detect({ 'requirements.txt': 'bottle', ...tree }))?.install[0]?.argv[0];

// Fails when a version file isn't read, when versions are compared as text, or when Python's operators are read as
// npm's.
test.each<[string, Tree, string]>([
  ['not a CPython version', {}, 'python3'],
  ['.python-version', { '.python-version': '3.13\n' }, 'python3.13'],
  ['the python3 that is here', { '.python-version': '3.11' }, 'python3'],
  ['another patch', { '.python-version': '3.13.7' }, 'python3.13'],
  ['runtime.txt', { 'runtime.txt': 'python-3.9.6' }, 'python3.9'],
  ['a range that python3 meets', project('>=3.9,<3.14'), 'python3'],
  ['a range', project('>3.11.9, !=3.12.1'), 'python3.13'],
  ['an upper bound', project('<3.11'), 'python3.9'],
  ['a bound is the version itself', project('<=3.11'), 'python3.9'],
  ['a compatible release', project('~=3.12'), 'python3.13'],
  ['a compatible patch', project('~=3.13.0'), 'python3.13'],
  ['a wildcard', project('==3.9.*'), 'python3.9'],
  ['a caret of Poetry', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "^3.12"\n' }, 'python3.13'],
  ['.python-version before a range', { ...project('>=3.9'), '.python-version': '3.13' }, 'python3.13'],
])('%s', async (_what, tree, program) => {
  expect(await venvOf(tree)).toBe(program);
});

test('a patch that differs from the pinned one is reported; an invalid version is refused', async () => {
  const plan = await detect({ '.python-version': '3.13.7', 'requirements.txt': 'bottle' });
  expect(plan?.notices).toEqual(['.python-version asks for Python 3.13.7: 3.13.1 is used.']);
  await expect(detect({ '.python-version': 'pypy3.10' })).rejects.toMatchObject({
    code: 'build_failed',
    message:
      '.python-version asks for Python "pypy3.10", which is not a CPython version. Use a version such as 3.13 or >=3.11.',
  });
});

test('a program without packages runs on the Python that it asks for, too', async () => {
  const plan = await detect({ '.python-version': '3.13' });
  // Fails when the environment is only created for packages to install.
  expect(plan?.install.map(({ title }) => title)).toEqual(['python3.13 -m venv .venv']);
  expect(plan?.start?.argv).toEqual(['.venv/bin/python', 'main.py']);
});

test.each([['uv'], [undefined]])(
  'a version that is not here is brought by uv (installed: %s), into the artifact',
  async (uv) => {
    const programs = ['python3', ...(uv === undefined ? [] : [uv])];
    const plan = await detect({ ...project('>=3.12'), 'requirements.txt': 'bottle' }, programs);
    const program = uv ?? '$HOME/.berth-tools/uv/bin/uv';
    const venv = plan?.install.find(({ title }) => title === 'uv venv --python >=3.12');
    expect(venv?.argv).toEqual([program, 'venv', '--python', '>=3.12', '.venv']);
    expect(venv?.refusal?.message).toMatch(
      /^"requires-python" of pyproject.toml asks for Python >=3.12, .* has Python 3.11.2\./,
    );
    expect(plan).toMatchObject({
      buildEnv: { UV_PYTHON_DOWNLOADS: 'automatic', UV_PYTHON_INSTALL_DIR: '.berth/python' },
      sharedFolders: ['.venv', '.berth/python'],
      dependencies: null,
    });
  },
);

const LOCK = '[[package]]\nname = "bottle"\nversion = "0.13.4"\n';
const POETRY = '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\nbottle = "^0.13"\n';

// Fails when requirements.txt takes precedence over a lock file, or when the notice about the ignored file is left out.
test.each<[string, Tree, string, string]>([
  ['Poetry', { 'pyproject.toml': POETRY, 'poetry.lock': LOCK }, 'poetry export --only main', 'poetry.lock'],
  ['PDM', { ...project('>=3.9'), 'pdm.lock': LOCK }, 'pdm export --prod -f requirements', 'pdm.lock'],
  [
    'Pipenv',
    { Pipfile: '[packages]\nbottle = "*"', 'Pipfile.lock': '{"default": {"bottle": {"version": "==0.13.4"}}}' },
    'pipenv verify && pipenv requirements --hash',
    'Pipfile.lock',
  ],
])('%s: the lock file decides, read by the tool that wrote it', async (_what, tree, read, lock) => {
  const plan = await detect({ ...tree, 'requirements.txt': 'flask' });
  expect(plan?.install.map(({ title }) => title).slice(-2)).toEqual([read, `pip install (of ${lock})`]);
  expect(plan?.dependencies).toMatchObject({ folders: ['.venv'], isPinned: true });
  expect(plan?.dependencies?.lockFiles[0]).toBe(lock);
  expect(plan?.notices).toEqual([`requirements.txt is not read: ${lock} decides.`]);
});

test('one package without a hash disables hashes for all', async () => {
  const git = `${LOCK}\n[package.source]\ntype = "git"\nurl = "https://git.example/x"\n`;
  const plan = await detect({ 'pyproject.toml': POETRY, 'poetry.lock': git });
  expect(plan?.install.map(({ argv }) => argv.join(' ')).join('\n')).toContain('--without-hashes');
});

test('the requires of a Pipfile choose the Python', async () => {
  const tree = { Pipfile: '[packages]\nbottle = "*"\n[requires]\npython_version = "3.13"\n' };
  expect((await detect(tree))?.install.map(({ title }) => title).slice(0, 1)).toEqual(['python3.13 -m venv .venv']);
});
