// What a bundler would do: makes dist/ out of src/, with the time of the build's commit (or "unknown") written in.
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const source = await readFile('src/server.js', 'utf8');
await mkdir('dist', { recursive: true });
await writeFile('dist/server.js', source.replaceAll('__COMMIT__', process.env.COMMIT ?? 'unknown'));
console.log('built dist/server.js');
