// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { openView } from '../../../testing/open-view.ts';
import { VolumePage } from './volume-page.tsx';

// Fails when a volume that doesn't exist has buttons to upload files, or a failure of the server looks like it.
test.each([
  ['not_found', ['Show all volumes']],
  ['unavailable', undefined],
] as const)('of a volume that answers %s', async (code, offered) => {
  const { until, text, controls } = await openView(createElement(VolumePage), {
    address: '/volumes/nope',
    answers: {
      'GET /v1/volume/objects': () => {
        throw createError(code, 'No volume nope.');
      },
      'GET /v1/volume/list': () => [],
    },
  });
  await until(() => expect(text()).toContain(offered ? 'No volume is named “nope”.' : 'No volume nope.'));
  if (offered) expect(controls()).toEqual(offered);
  else expect(text()).not.toContain('Volume not found');
});
