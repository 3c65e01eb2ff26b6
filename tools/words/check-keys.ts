import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** How many keys of texts were read, and the ones that no source uses as `path: "key" …`. */
export interface KeysReport {
  readonly read: number;
  readonly faults: readonly string[];
}

const TEXTS = [
  'apps/console/src/text/en/*.ts',
  'apps/chat/src/text/{en,artifact-texts}.ts',
  'packages/ui/src/text/part-texts.ts',
];
const SOURCES = ['{apps/console,apps/chat,packages/ui,packages/contract}/src/**/*.{ts,tsx}'];
const LEFT_OUT = [
  ...['**/*.{test,test-support}.{ts,tsx}', '**/testing/**'],
  ...['**/text/{ar,en}/**', '**/text/{ar,en,artifact-texts,part-texts}.ts'],
];

const KEY = /^\s+'([\w-]+(?:\.[\w-]+)+)':/gm;
const NAMED = /(['"])([\w-]+(?:\.[\w-]+)+)\1/g;
/** A template such as `deploys.kind.${kind}`, which names every key that begins so. */
const COMPOSED = /`((?:[\w.-]|\$\{[^`]*?\})+)`/g;

/** Looks below `root` for keys of the pages' texts that no source names, in full or as a template. */
export function checkKeys(root: string): KeysReport {
  const readAll = (files: readonly string[], exclude: readonly string[]) =>
    globSync([...files], { cwd: root, exclude: [...exclude] })
      .sort()
      .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
  const named = new Set<string>();
  const composed = new Set<string>();
  for (const { text } of readAll(SOURCES, LEFT_OUT)) {
    for (const [, , key = ''] of text.matchAll(NAMED)) named.add(key);
    for (const [, template = ''] of text.matchAll(COMPOSED)) {
      // A template that begins with a value could name any key.
      if (/^[\w-]+\..*\$\{/.test(template)) {
        const parts = template.split(/\$\{.*?\}/).map((part) => part.replaceAll('.', '\\.'));
        composed.add(parts.join('(.+)'));
      }
    }
  }
  const patterns = [...composed].map((pattern) => new RegExp(`^${pattern}$`));
  // A value with dots, such as an action of the audit log, counts only if a source names it.
  const isComposed = (key: string) =>
    patterns.some((pattern) => {
      const values = pattern.exec(key)?.slice(1);
      return values?.every((value) => !value.includes('.') || named.has(value)) ?? false;
    });
  const keys = readAll(TEXTS, []).flatMap(({ file, text }) =>
    [...text.matchAll(KEY)].map(([, key = '']) => ({ file, key })),
  );
  const unused = keys.filter(({ key }) => !named.has(key) && !isComposed(key));
  return {
    read: new Set(keys.map(({ key }) => key)).size,
    faults: unused.map(({ file, key }) => `${file}: "${key}" is used nowhere: delete it, or use it`),
  };
}
