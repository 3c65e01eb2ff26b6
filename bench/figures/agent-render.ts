import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findSoffice } from '../../packages/agent-render/src/soffice/open-soffice.ts';
import { powerPoint } from '../../packages/agent-render/src/testing/office-packages.ts';
import { type MeasuredAgent, startMeasuredAgent } from '../agents/measured-agent.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile, roundTo } from '../statistics.ts';

const SLIDES = 30;
const RUNS = 10;

/** A presentation of 30 slides as PDF and as pictures, the first time and again, beside LibreOffice alone. */
export async function measureAgentRender({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const program = findSoffice(process.env['PATH']);
  if (program === undefined) {
    if (process.env['CI'] === 'true')
      throw new Error('CI must have LibreOffice: apt-get install libreoffice-impress-nogui');
    return { figures: [], notes: ['LibreOffice is not installed: nothing was measured.'] };
  }
  await using agent = await startMeasuredAgent();
  const token = await agent.token('bench');
  const runs = isTenth ? 1 : RUNS;
  const times = { alone: [] as number[], pdf: [] as number[], slides: [] as number[], again: [] as number[] };
  // Its libraries are read from the disk once.
  await convertAlone(program, await deck(-1));
  for (let run = 0; run < runs; run++) {
    // Taking turns; each run has a deck that no one has seen.
    const bytes = await deck(run);
    times.alone.push(await timed(() => convertAlone(program, bytes)));
    await call(agent, token, 'PUT', `/files/${run}.pptx`, bytes);
    times.pdf.push(await timed(() => call(agent, token, 'GET', `/files/${run}.pptx?as=pdf`)));
    times.slides.push(await timed(() => checkSlides(agent, token, run)));
    times.again.push(await timed(() => checkSlides(agent, token, run)));
    say(
      `run ${run + 1}: ${Object.entries(times)
        .map(([name, all]) => `${name} ${roundTo(all.at(-1) ?? 0, 0)} ms`)
        .join(', ')}`,
    );
  }
  const [alone, pdf, slides, again] = [times.alone, times.pdf, times.slides, times.again].map((all) =>
    quantile(all, 0.5),
  );
  const [first, bare] = [(pdf ?? 0) + (slides ?? 0), alone ?? 0];
  const ms = (title: string, value: number | undefined) => figure(title, value ?? 0, 'ms');
  return {
    figures: [
      ms('LibreOffice alone, a new profile, to PDF', bare),
      ms('as=pdf, first time', pdf),
      ms('as=slides, first time, the PDF included', first),
      ms('as=slides, again', again),
      figure('as=pdf to LibreOffice alone', (pdf ?? 0) / bare, 'ratio'),
      figure('as=slides to LibreOffice alone', first / bare, 'ratio'),
    ],
    notes: [`${SLIDES} slides; the median of ${runs} runs.`],
  };
}

function deck(run: number): Promise<Buffer> {
  return powerPoint(Array.from({ length: SLIDES }, (_, index) => `Slide ${index + 1} of run ${run}`));
}

async function convertAlone(program: string, bytes: Uint8Array): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-'));
  try {
    const document = path.join(folder, 'deck.pptx');
    await writeFile(document, bytes);
    const words = [
      `-env:UserInstallation=file://${folder}/profile`,
      '--convert-to',
      'pdf',
      '--outdir',
      folder,
      document,
    ];
    const child = spawn(path.join(program, 'soffice'), ['--headless', ...words], { stdio: 'ignore', timeout: 120_000 });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`LibreOffice alone ended with ${code}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkSlides(agent: MeasuredAgent, token: string, run: number): Promise<void> {
  const answer = await call(agent, token, 'GET', `/files/${run}.pptx?as=slides`);
  const { count } = JSON.parse(answer.toString()) as { readonly count: number };
  if (count !== SLIDES) throw new Error(`as=slides answered ${count} slides`);
}

async function call(
  agent: MeasuredAgent,
  token: string,
  method: string,
  target: string,
  body?: Buffer,
): Promise<Buffer> {
  const answer = await fetch(agent.url + target, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body && { body: new Uint8Array(body) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${method} ${target}: ${answer.status} ${bytes.subarray(0, 300)}`);
  return bytes;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
