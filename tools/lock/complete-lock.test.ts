import { expect, it } from 'vitest';
import { completeLock, type LockFile, platformOf } from './complete-lock.ts';

it('reads the platform off a name', () => {
  expect(platformOf('@biomejs/cli-darwin-arm64')).toEqual({ os: ['darwin'], cpu: ['arm64'] });
  expect(platformOf('@x/binding-linux-x64-musl')).toEqual({ os: ['linux'], cpu: ['x64'], libc: ['musl'] });
  expect(platformOf('@x/binding-linux-arm-gnueabihf')).toEqual({ os: ['linux'], cpu: ['arm'], libc: ['glibc'] });
  expect(platformOf('@x/binding-wasm32-wasi')).toEqual({ cpu: ['wasm32'] });
  expect(platformOf('fsevents')).toBeUndefined();
});

it('adds what is missing, once, and leaves what is there', () => {
  const lock: LockFile = {
    packages: {
      '': {},
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: { 'tool-darwin-x64': '1.0.0', 'tool-linux-x64': '1.0.0' },
      },
      'node_modules/tool-linux-x64': { version: '1.0.0', os: ['linux'] },
    },
  };
  expect(completeLock(lock)).toEqual(['tool-darwin-x64']);
  expect(lock.packages['node_modules/tool-darwin-x64']).toEqual({
    version: '1.0.0',
    os: ['darwin'],
    cpu: ['x64'],
    dev: true,
    optional: true,
  });
  expect(completeLock(lock)).toEqual([]);
});
