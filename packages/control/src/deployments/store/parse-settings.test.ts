import { expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';

// Fails when stored settings are taken as they are: after an update of the platform min_instances would be undefined.
test('settings that an older version stored keep no instance', () => {
  expect(parseSettings('{"name":"shop","maxInstances":2}')).toMatchObject({
    name: 'shop',
    maxInstances: 2,
    minInstances: 0,
  });
  expect(parseSettings('{"name":"shop","minInstances":3}').minInstances).toBe(3);
});
