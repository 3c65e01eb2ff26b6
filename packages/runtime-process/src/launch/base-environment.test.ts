import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitEnvironment } from './base-environment.ts';

test('what the C library heeds is kept back, the rest is not', () => {
  const env = {
    LD_PRELOAD: 'a',
    LD_LIBRARY_PATH: 'b',
    GCONV_PATH: 'c',
    GLIBC_TUNABLES: 'd',
    PATH: 'e',
    MY_LD_X: 'f',
    ld_preload: 'g',
  };
  const { plain, unsafe } = splitEnvironment(env);
  expect(Object.keys(unsafe)).toEqual(['LD_PRELOAD', 'LD_LIBRARY_PATH', 'GCONV_PATH', 'GLIBC_TUNABLES']);
  expect(Object.keys(plain)).toEqual(['PATH', 'MY_LD_X', 'ld_preload']);
});

test('nothing is lost, and no LD_ variable is ever plain', () => {
  const name = fc.oneof(
    fc.string(),
    fc.string().map((rest) => `LD_${rest}`),
  );
  fc.assert(
    fc.property(fc.dictionary(name, fc.string()), (env) => {
      const { plain, unsafe } = splitEnvironment(env);
      expect(new Map([...Object.entries(plain), ...Object.entries(unsafe)])).toEqual(new Map(Object.entries(env)));
      expect(Object.keys(plain).filter((key) => key.startsWith('LD_'))).toEqual([]);
    }),
    { examples: [[JSON.parse('{"__proto__":""}')]] },
  );
});
