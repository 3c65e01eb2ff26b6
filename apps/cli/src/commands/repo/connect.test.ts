import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

test.each([
  ['https://github.com/me/app', 'http://localhost:8787', true],
  ['https://github.com/me/app', 'https://berth.example.com', false],
  ['http://127.0.0.1:3000/me/app', 'http://localhost:8787', false],
])('of %s warns when the forge cannot reach %s', async (url, base, warns) => {
  const { server, run } = berth;
  const hook = { hook_url: `${base}/v1/hooks/git/rep_1`, hook_secret: 's', previews_enabled: false };
  server.on(
    'POST /v1/repositories',
    answerJson(200, { url, branch: 'main', deploy_key: null, must_add_deploy_key: false, ...hook }),
  );
  const { code, stderr, stdout } = await run(['repo', 'connect', 'app', url]);
  expect([code, stdout.includes(`Payload URL: ${hook.hook_url}`)]).toEqual([0, true]);
  expect(/github\.com can't reach http:\/\/localhost:8787\/\S+, so pushes .* BERTH_DOMAIN/.test(stderr)).toBe(warns);
});
