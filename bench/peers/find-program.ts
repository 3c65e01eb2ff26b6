import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Returns the path of an installed program: from the PATH, or where `go install` puts it. Undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    process.env['GOBIN'] ?? '',
    path.join(homedir(), 'go/bin'),
  ];
  return folders.map((folder) => path.join(folder, name)).find(existsSync);
}
