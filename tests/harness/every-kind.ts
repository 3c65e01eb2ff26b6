import type { Berth } from './berth.ts';
import { deployed } from './deploy.ts';
import { uniqueName } from './names.ts';
import { nodeProject, type ProjectFiles } from './project-files.ts';
import { request } from './request.ts';

/** A service and what it answers at `/`. */
export interface KnownService {
  readonly name: string;
  readonly answer: string;
}

/** Code in folders of folders, some of which other users may not read as they were packed. */
const nestedNode: ProjectFiles = nodeProject(
  `import { createServer } from 'node:http';
   import { greet } from './lib/deep/er/greet.js';
   createServer((request, response) => response.end(greet())).listen(process.env.PORT, '0.0.0.0');`,
  { 'lib/deep/er/greet.js': "export const greet = () => 'nested folders';\n" },
);

/** A virtual environment with a script that names its interpreter, and a package that is installed as it lies there. */
const pythonVenv: ProjectFiles = {
  'requirements.txt': 'waitress==3.0.2\n-e ./library\n',
  'library/pyproject.toml': `[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"
[project]
name = "greeting"
version = "1"
[tool.setuptools]
packages = ["greeting"]
`,
  'library/greeting/__init__.py': "TEXT = b'a virtual environment'\n",
  'app.py': `from greeting import TEXT
def app(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [TEXT]
`,
  Procfile: 'web: waitress-serve --host 0.0.0.0 --port $PORT app:app\n',
};

const site: ProjectFiles = { 'index.html': 'a static site', 'css/deep/site.css': 'body {}' };

/** One service of each kind that keeps paths or modes in what is built of it. Python's needs the Python index. */
export async function deployEveryKind(berth: Berth): Promise<readonly KnownService[]> {
  const kinds = [
    ['nested folders', nestedNode],
    ['a virtual environment', pythonVenv],
    ['a static site', site],
  ] as const;
  return Promise.all(
    kinds.map(async ([answer, files]) => {
      const name = uniqueName('kind');
      await deployed(berth, name, { files });
      return { name, answer };
    }),
  );
}

/** What each of them answers now. */
export async function askAll(berth: Pick<Berth, 'port'>, services: readonly KnownService[]): Promise<KnownService[]> {
  return Promise.all(
    services.map(async ({ name }) => {
      const { status, text } = await request(berth, name);
      return { name, answer: status === 200 ? text : `${status} ${text}` };
    }),
  );
}
