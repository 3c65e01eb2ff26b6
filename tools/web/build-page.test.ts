import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashSources } from './hash-sources.ts';
import { measureFirstLoad } from './measure-first-load.ts';
import { withLock } from './with-lock.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-web-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

describe('the hash of the sources', () => {
  test('changes with what the page is built from, and with nothing else', () => {
    write('apps/page/src/main.tsx', 'a');
    write('packages/ui/src/index.ts', 'a');
    const hash = () => hashSources(root, 'apps/page');
    const before = hash();
    for (const file of [
      'apps/page/src/a.test.ts',
      'apps/page/dist/index.html',
      'apps/other/src/a.ts',
      'packages/http/src/a.ts',
    ]) {
      write(file, 'x');
      expect([file, hash()]).toEqual([file, before]);
    }
    const seen = new Set([before]);
    for (const file of [
      'apps/page/src/main.tsx',
      'apps/page/index.html',
      'packages/ui/src/index.ts',
      'packages/kit/src/a.ts',
      'package-lock.json',
      'tools/web/a.ts',
    ]) {
      write(file, 'b');
      expect([file, seen.has(hash())]).toEqual([file, false]);
      seen.add(hash());
    }
  });
});

describe('the first load', () => {
  test('is the page and what it names, compressed', () => {
    write('index.html', '<script src="/assets/a.js"></script><link rel="modulepreload" href="/assets/b.js">');
    write('assets/a.js', 'a'.repeat(10_000));
    write('assets/b.js', 'b');
    write('assets/lazy.js', crypto.randomUUID().repeat(1_000));
    expect(measureFirstLoad(root)).toBeLessThan(300);
    write('index.html', '<p>');
    expect(() => measureFirstLoad(root)).toThrow('names no script');
  });
});

describe('the lock', () => {
  test('lets one work at a time', async () => {
    let running = 0;
    const done: number[] = [];
    const work = async (id: number) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      done.push(id);
    };
    await Promise.all([1, 2, 3].map((id) => withLock(path.join(root, 'lock'), () => work(id))));
    expect(done.toSorted()).toEqual([1, 2, 3]);
  });

  test('is taken over from a process that was killed, and left by one that failed', async () => {
    const lock = path.join(root, 'lock');
    mkdirSync(lock);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(lock, async () => 'free')).toBe('free');
  });
});
