import { expect, test } from 'vitest';
import { adaptDockerfile } from './adapt-dockerfile.ts';

const adapt = (text: string) => adaptDockerfile(text, 'linux/amd64');

test.each([
  ['FROM node\nRUN npm ci && \\\n  # why\n  npm run build\nCOPY . .\nCMD ["node", "server.js"]\n'],
  ['# syntax=docker/dockerfile:1\n\nFROM node AS a\nCOPY --from=a --chown=1:1 /a /b'],
  ['FROM debian\nRUN echo "see <<EOF here" && cat<<EOF\nENV A="<<EOF"'],
  ['# escape=`\nFROM debian\nRUN echo `\n  hello'],
  ['FROM debian\nARG VERSION\nARG VERSION=1'],
])('%j needs no BuildKit and stays as it is', (text) => {
  expect(adapt(text)).toEqual({ text, extra: {}, modes: [], notices: [] });
});

test.each<[what: string, text: string, adapted: string]>([
  [
    'a script',
    'RUN <<EOF\nset -e\n# no comment of the Dockerfile\necho "$A"\nEOF\nCMD x',
    'RUN ["/bin/sh","-c","set -e\\n# no comment of the Dockerfile\\necho \\"$A\\"\\n"]\nCMD x',
  ],
  [
    'text that a command reads',
    "RUN python3 - <<'EOF' && \\\n  echo done\nprint(1)\nEOF",
    `RUN ["/bin/sh","-c","python3 - <<'EOF' &&   echo done\\nprint(1)\\nEOF\\n"]`,
  ],
  [
    'tabs that are dropped, and a shell of its own',
    'SHELL ["/bin/bash", "-ec"]\nRUN <<-END\n\techo a\n\tEND',
    'SHELL ["/bin/bash", "-ec"]\nRUN ["/bin/bash","-ec","echo a\\n"]',
  ],
  [
    'caches and files that are mounted',
    'RUN --mount=type=bind,source=package.json,target=package.json \\\n  --mount=type=cache,target=/root/.npm \\\n  npm ci',
    'COPY ["package.json","package.json"]\nRUN npm ci',
  ],
  ['the whole context', 'RUN --mount=target=. go build .', 'COPY [".","."]\nRUN go build .'],
  [
    'a cache mount with "from"',
    'RUN --mount=type=bind,from=uv,src=/uv,dst=/bin/uv uv sync',
    'COPY --from=uv ["/uv","/bin/uv"]\nRUN uv sync',
  ],
  ['secrets that need not be there', 'RUN --mount=type=secret,id=x --mount=type=tmpfs,target=/t make', 'RUN make'],
  ['links', 'COPY --link --chown=1:1 a b /c/', 'COPY --chown=1:1 ["a","b","/c/"]'],
  ['platforms', 'FROM --platform=$BUILDPLATFORM golang AS build', 'FROM golang AS build'],
  ['arguments of platforms', 'ARG TARGETOS TARGETARCH', 'ARG TARGETOS=linux TARGETARCH=amd64'],
])('%s', (_what, text, adapted) => {
  expect(adapt(text).text).toBe(adapted);
});

test('text that is copied becomes files of the context', () => {
  const text = `COPY --chmod=755 <<'EOF' <<robots.txt /srv/\nset $A\nEOF\nprice: \\$1\nrobots.txt\nRUN x`;
  expect(adapt(text)).toMatchObject({
    text: 'COPY [".berth-heredocs/0/EOF",".berth-heredocs/1/robots.txt","/srv/"]\nRUN x',
    extra: { '.berth-heredocs/0/EOF': 'set $A\n', '.berth-heredocs/1/robots.txt': 'price: $1\n' },
    modes: [
      { pattern: '.berth-heredocs/0/EOF', mode: 0o755 },
      { pattern: '.berth-heredocs/1/robots.txt', mode: 0o755 },
    ],
  });
});

test('what differs from BuildKit is said once', () => {
  const { notices } = adapt('RUN --mount=type=cache,target=/a x\nRUN --mount=type=cache,target=/b y');
  expect(notices).toEqual([expect.stringContaining('type=cache is an ordinary folder')]);
});

test.each([
  ['RUN <<EOF\necho', /no line "EOF"/],
  ['RUN --mount=type=secret,id=x,required=true y', /no secrets/],
  ['RUN --mount=type=bind,source=a y', /no target/],
  ['RUN --mount=type=cache,from=a,target=/x y', /COPY the files/],
  ['RUN --mount=type=device,target=/x y', /type=device/],
  ['RUN --network=host y', /--network=host is not supported/],
  ['RUN --security=insecure y', /--security=insecure is not supported/],
  ['COPY <<EOF /x\n$A\nEOF', /Quote the delimiter/],
  ['COPY --chmod=u+x a /x', /octal/],
  ['COPY --chmod=755 --from=a a /x', /--from/],
])('%j is refused with what to do', (text, why) => {
  expect(() => adapt(text)).toThrow(
    expect.objectContaining({ code: 'build_failed', message: expect.stringMatching(why) }),
  );
});
