// Installs the published clients that agents are tested with, beside their manifests: LangChain.js from the npm registry and litellm from
// PyPI. They are no dependencies of the repo, because they weigh 90 and 330 MB. CI runs this; the tests skip without it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Folder, the file that pins the versions, the folder that is made, and the commands that make it. */
const CLIENTS = [
  {
    folder: 'langchain',
    manifest: 'package-lock.json',
    target: 'node_modules',
    commands: [['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund']],
  },
  {
    folder: 'litellm',
    manifest: 'requirements.txt',
    target: '.venv',
    commands: [
      ['python3', '-m', 'venv', '.venv'],
      ['.venv/bin/pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
    ],
  },
] as const;

for (const { folder, manifest, target, commands } of CLIENTS) {
  const cwd = path.join(import.meta.dirname, folder);
  const wanted = readFileSync(path.join(cwd, manifest), 'utf8');
  // Written last, so that an install that was interrupted is made again.
  const stamp = path.join(cwd, target, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue;
  console.log(`agent-clients: installing ${folder}…`);
  rmSync(path.join(cwd, target), { recursive: true, force: true });
  for (const [command, ...args] of commands) execFileSync(command, args, { cwd, stdio: 'inherit' });
  writeFileSync(stamp, wanted);
}
