import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const FOLDER = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** The notices of the libraries whose modules these are (absolute paths), which their licenses ask to be handed on. */
export function thirdPartyNotices(modules: readonly string[]): string {
  const folders = new Set(modules.map((file) => FOLDER.exec(file)?.[1]).filter((folder) => folder !== undefined));
  const notices = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Library;
    const texts = globSync(['LICEN[CS]E*', 'licen[cs]e*'], { cwd: folder }).map((file) =>
      readFileSync(path.join(folder, file), 'utf8').trim(),
    );
    return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
  });
  return `${notices.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
