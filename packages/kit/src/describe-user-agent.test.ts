import { expect, test } from 'vitest';
import { describeUserAgent } from './describe-user-agent.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/143.0.0.0 Safari/537.36`, 'Chrome Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/143.0.0.0 Safari/537.36`, 'Chrome Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/143.0.0.0 Safari/537.36`, 'Chrome ChromeOS'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`, 'Edge Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/143.0.0.0 Safari/537.36 OPR/120.0.0.0`, 'Opera Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/143.0.0.0 Mobile Safari/537.36`, 'Chrome Android'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet Android',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:146.0) Gecko/20100101 Firefox/146.0', 'Firefox macOS'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    'Safari macOS',
  ],
  [`${PHONE} Version/18.6 Mobile/15E148 Safari/604.1`, 'Safari iPhone'],
  [`${PHONE} CriOS/143.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome iPhone'],
  [`${PHONE} FxiOS/146.0 Mobile/15E148 Safari/605.1.15`, 'Firefox iPhone'],
  ['berth-cli/0.1.0 node/26.0.0', 'berth'],
  ['curl/8.14.1', 'curl'],
  ['node', 'Node.js'],
])('%s', (userAgent, words) => {
  const { program, system } = describeUserAgent(userAgent) ?? {};
  expect([program, system].filter(Boolean).join(' ')).toBe(words);
});

test.each(['', 'nodejs-thing/1', 'Mozilla/5.0', 'Chrome', 'my own client'])(
  '%j is nothing that people know',
  (text) => {
    expect(describeUserAgent(text)).toBeUndefined();
  },
);
