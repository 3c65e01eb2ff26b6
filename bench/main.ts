// Measures figures and writes them to bench/results. `npm run bench -- [<name>…] [--tenth] [--print]`; all of them without a name.
import { parseArgs } from 'node:util';
import type { Bench } from './figure.ts';
import { measureAgentChats } from './figures/agent-chats.ts';
import { measureAgentConnectors } from './figures/agent-connectors.ts';
import { measureAgentFetch } from './figures/agent-fetch.ts';
import { measureAgentFiles } from './figures/agent-files.ts';
import { measureAgentFirstToken } from './figures/agent-first-token.ts';
import { measureAgentRender } from './figures/agent-render.ts';
import { measureAgentStreams } from './figures/agent-streams.ts';
import { measureAgentTracing } from './figures/agent-tracing.ts';
import { measureAgentWorkspaces } from './figures/agent-workspaces.ts';
import { measureAtRest } from './figures/at-rest.ts';
import { measureBurst } from './figures/burst.ts';
import { measureChatFrames } from './figures/chat-frames.ts';
import { measureChatSearch } from './figures/chat-search.ts';
import { measureColdStart } from './figures/cold-start.ts';
import { measureCron } from './figures/cron.ts';
import { measureDatabases } from './figures/databases.ts';
import { measureDockerColdStart } from './figures/docker-cold-start.ts';
import { measureKubernetesColdStart } from './figures/kubernetes-cold-start.ts';
import { measureKubernetesScale } from './figures/kubernetes-scale.ts';
import { measureKubernetesServing } from './figures/kubernetes-serving.ts';

import { measureLogs } from './figures/logs.ts';
import { measureSharedLogs } from './figures/logs-shared.ts';
import { measureOpenLoop } from './figures/open-loop.ts';
import { measureDockerRedeploy, measureRedeploy } from './figures/redeploy.ts';
import { measureRedeployUnderLoad } from './figures/redeploy-under-load.ts';
import { measureDockerResume, measureResume } from './figures/resume.ts';
import { measureSqlMemory } from './figures/sql-memory.ts';
import { measureSteps } from './figures/steps.ts';
import { measureThroughput } from './figures/throughput.ts';
import { measureVolumes } from './figures/volumes.ts';
import { formatFigures, writeResult } from './results.ts';
import { SCENARIO_NAMES } from './throughput/scenarios.ts';
import { findLoad, watchMachine } from './watch-machine.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  'cold-start': measureColdStart,
  'kubernetes-cold-start': measureKubernetesColdStart,
  'kubernetes-scale': measureKubernetesScale,
  'kubernetes-serving': measureKubernetesServing,
  resume: measureResume,
  redeploy: measureRedeploy,
  'docker-redeploy': measureDockerRedeploy,
  throughput: measureThroughput,
  'open-loop': measureOpenLoop,
  steps: measureSteps,
  burst: measureBurst,
  'redeploy-under-load': measureRedeployUnderLoad,
  'at-rest': measureAtRest,
  volumes: measureVolumes,
  cron: measureCron,
  databases: measureDatabases,
  logs: measureLogs,
  'logs-shared': measureSharedLogs,
  'sql-memory': measureSqlMemory,
  'agent-streams': measureAgentStreams,
  'agent-first-token': measureAgentFirstToken,
  'agent-chats': measureAgentChats,
  'chat-search': measureChatSearch,
  'agent-files': measureAgentFiles,
  'agent-render': measureAgentRender,
  'agent-workspaces': measureAgentWorkspaces,
  'agent-connectors': measureAgentConnectors,
  'agent-fetch': measureAgentFetch,
  'agent-tracing': measureAgentTracing,
  'chat-frames': measureChatFrames,
  'docker-cold-start': measureDockerColdStart,
  'docker-resume': measureDockerResume,
};

/** Benchmarks that others work for: a container engine, a cluster, Postgres. */
const ENGINE_BENCHES = /^(docker-|kubernetes-|databases$|logs-shared$)/;

const USAGE = `npm run bench -- [<name>…] [--tenth] [--print] [--only <part>,…]
  --tenth  a few runs, for correctness
  --print  writes no result, so the machine may be busy
  --only   scenarios of throughput: ${SCENARIO_NAMES.join(', ')}
  <name>   ${Object.keys(BENCHES).join(', ')}`;

const { values, positionals: named } = parseArgs({
  options: { tenth: { type: 'boolean' }, print: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
});
const { tenth: isTenth = false } = values;
const only = values.only?.split(',');
if (named.some((name) => !(name in BENCHES)) || only?.some((name) => !SCENARIO_NAMES.includes(name))) {
  console.error(USAGE);
  process.exit(2);
}
// A tenth has too few runs to be kept as a number, and a part is not the whole.
const isPublished = !isTenth && !values.print && only === undefined;
const load = isPublished ? await findLoad() : [];
for (const one of load) console.error(`The machine is busy, and no result will be written: ${one}`);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n${name}`);
  const startedMs = performance.now();
  const watch = isTenth ? undefined : watchMachine({ hasEngine: ENGINE_BENCHES.test(name) });
  const result = await bench({ isTenth, ...(only && { only }), say: (line) => console.log(line) });
  const disturbances = [...load, ...((await watch?.stop()) ?? [])];
  console.log(`\n${result.table ?? formatFigures(result.figures)}\n`);
  for (const note of result.notes) console.log(`- ${note}`);
  console.log(`- took ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  for (const one of disturbances) console.log(`- the machine was busy: ${one}`);
  if (!isPublished || result.figures.length === 0) continue;
  if (disturbances.length === 0) console.log(`\nwritten to ${writeResult(name, result)}`);
  else {
    console.error(`\nNot written: the machine was busy. Run it again on a quiet one.`);
    process.exitCode = 1;
  }
}
