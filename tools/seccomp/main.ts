// Writes the system call filters of the process sandbox. `npm run seccomp`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compileFilter } from './compile-filter.ts';
import { FILTER_FOLDER } from './read-rules.ts';
import { ARCHITECTURES, type Architecture } from './rule.ts';

for (const architecture of Object.keys(ARCHITECTURES) as Architecture[]) {
  const filter = compileFilter(architecture);
  writeFileSync(path.join(FILTER_FOLDER, `${architecture}.bpf`), filter);
  console.log(`seccomp: ${architecture}.bpf has ${filter.length / 8} instructions`);
}
