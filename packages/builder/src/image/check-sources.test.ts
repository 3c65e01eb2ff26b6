import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSources, checkTriggers } from './check-sources.ts';
import { createImageRule, OFFICIAL } from './image-rule.ts';

/** Options that allow every image. Sources refused with these are refused regardless of the operator's list. */
const ALL = { values: {}, isAllowed: () => true };
const DEFAULT = { values: {}, isAllowed: createImageRule([OFFICIAL], []) };

test.each([
  ['FROM node:24-slim\nCOPY . .'],
  [`ARG VERSION=24\nFROM node:\${VERSION}-slim AS build\nFROM build\nCOPY --from=build /a /a\nCOPY --from=0 /a /a`],
  [`ARG REGISTRY\nFROM \${REGISTRY:-docker.io}/library/node`],
  ['FROM debian AS a\nFROM a'],
  ['FROM localhost:5000/abc:1'],
  ['FROM debian\nADD app-$VERSION.tar.gz $HOME/'],
  ['# FROM abc\nFROM debian # FROM abc'],
  ['FROM debian\nRUN git log --from=abc && psql -c "SELECT a \\\nFROM abc"'],
])('%j is fine', (text) => {
  expect(() => checkSources(text, ALL)).not.toThrow();
});

test.each([
  ['FROM abc', /use the image's tag/],
  ['from sha256:0123456789abcdef', /use the image's tag/],
  ['FROM "a1"', /use the image's tag/],
  ['FR\\\nOM \\\n# in between\n  a1', /use the image's tag/],
  [`ARG A=a\nARG B=\${A}1\nFROM $B`, /use the image's tag/],
  [`FROM \${UNKNOWN}`, /can't be resolved/],
  [`FROM \${A:+b}`, /can't be resolved/],
  ['FROM debian AS x\nFROM 0', /use the image's tag/],
  ['FROM debian\nCOPY --from=1 / /', /use the image's tag/],
  ['FROM debian\nCOPY --chown=1 --from=abc / /', /use the image's tag/],
  ['FROM debian\nONBUILD COPY --from=abc / /', /use the image's tag/],
  ['FROM debian\nRUN <<EOF\nFROM abc\nEOF', /use the image's tag/],
  ['FROM debian\nRUN <<EOF\nFROM debian AS abc\nEOF\nFROM abc', /use the image's tag/],
  ['# escape=`\nFROM debian\nRUN echo \\\nFROM abc', /use the image's tag/],
  ['# escape=`\nFROM debian\nCOPY --from=1 / /', /use the image's tag/],
  ['# escape=`\nFROM a`bc', /use the image's tag/],
  ['\u0085FROM abc', /use the image's tag/],
  ['FROM abc\u2028', /use the image's tag/],
  ['FROM abc\u0085', /use the image's tag/],
  ['FROM debian\nCOPY --fr"om"=abc / /', /use the image's tag/],
  ['FROM debian\nCOPY --from=a\\bc / /', /use the image's tag/],
  ['FROM debian\nRUN --mount=type=bind,from=abc,target=/x cat /x', /use the image's tag/],
  ['FROM berth-01234567/acct/shop:shop-00001', /can't be base images/],
  ['FROM localhost/berth-01234567/acct/shop', /can't be base images/],
  ['FROM 169.254.169.254/latest', /not allowed/],
  ['FROM debian\nADD http://127.0.0.1:8787/ /x', /ADD with a URL is not supported/],
  ['FROM debian\nADD ["HTTPS://example.com/a", "/x"]', /ADD with a URL is not supported/],
  [`FROM debian\nARG U\nADD \${U} /x`, /start with a variable/],
  [`FROM debian\nADD h\${U} /x`, /start with a variable/],
])('%j is refused', (text, message) => {
  expect(() => checkSources(text, ALL)).toThrow(message);
});

test.each([
  ['FROM evil.example/x', 'evil.example/x'],
  ['FROM node AS build\nFROM shop', 'shop'],
  ['FROM --platform=linux/amd64 evil/x', 'evil/x'],
  ['ARG BASE=evil/x:1\nFROM $BASE', 'evil/x:1'],
  [`ARG A=evil\nARG B=x\nFROM node\nFROM \${A}/\${B}`, 'evil/x'],
  ['FROM node\nCOPY --from=evil/x / /', 'evil/x'],
  ['FROM node\nADD --from=evil/x / /', 'evil/x'],
  ['FROM node\nRUN --mount=type=bind,from=evil/x,target=/x true', 'evil/x'],
  ['FROM node\nONBUILD COPY --from=evil/x / /', 'evil/x'],
  ['FROM node\nONBUILD RUN --mount=from=evil/x true', 'evil/x'],
  ['# syntax=docker/dockerfile:1\nFROM evil/x', 'evil/x'],
  ['FROM no\\\nde-x', 'node-x'],
  ['FROM node\nRUN <<EOF\nFROM node AS evil-x\nEOF\nFROM evil-x', 'evil-x'],
])('%j names an image that is not listed, which the error does, too', (text, image) => {
  // Fails when `isAllowed` isn't called for one of the ways to name an image.
  const message = `this server doesn't allow the image ${image}. The operator can allow it with --allowed-images ${image}.`;
  expect(() => checkSources(text, DEFAULT)).toThrow(message);
  expect(() => checkSources(text, ALL)).not.toThrow();
});

test('what stages begin with is told, with its platform', () => {
  const text = 'ARG P=linux/arm64\nFROM scratch\nFROM --platform=$P node:24 AS build\nFROM build\nFROM python';
  expect(checkSources(text, DEFAULT)).toEqual([
    { image: 'node:24', platform: 'linux/arm64' },
    { image: 'python', platform: undefined },
  ]);
  expect(() => checkSources('FROM --platform=$BUILDPLATFORM node', DEFAULT)).toThrow("the platform can't be resolved");
});

test.each([
  [['COPY --from=abc / /'], /use the image's tag/],
  [['COPY --from=berth-01234567/acct/shop / /'], /can't be base images/],
  [['COPY . .', 'RUN --mount=from=evil/x true'], /--allowed-images evil\/x/],
  [['ADD http://127.0.0.1:8787/ /x'], /ADD with a URL is not supported/],
])('triggers %j of an image are refused', (triggers, message) => {
  expect(() => checkTriggers(triggers, DEFAULT)).toThrow(message);
});

test('the value of the operator counts', () => {
  expect(() => checkSources('ARG BASE=abc\nFROM $BASE', { ...ALL, values: { BASE: 'debian:13' } })).not.toThrow();
  expect(() => checkSources('ARG BASE=debian\nFROM $BASE', { ...ALL, values: { BASE: 'abc' } })).toThrow(
    /use the image's tag/,
  );
});

test('no text makes it fail in another way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('FROM ', 'ARG ', 'ADD ', '--from=', '$', '{', '}', '"', '\\', '\n', 'a', 'x=', '<<E')),
      (parts) => {
        try {
          checkSources(parts.join(''), ALL);
        } catch (error) {
          expect(error).toMatchObject({ code: 'build_failed' });
        }
      },
    ),
  );
});
