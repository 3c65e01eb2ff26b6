// Plays synthetic traffic against the gateway's scaling policy, a fixed number of instances, and a naive policy. `npm run simulate`.
import { writeFileSync } from 'node:fs';
import { type CommandOptions, parseOptions, USAGE } from './parse-options.ts';
import { renderPlot, sampleService } from './plot-service.ts';
import { renderTable } from './render-table.ts';
import { simulate } from './simulate.ts';

let options: CommandOptions | undefined;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}
if (options?.plotFile !== undefined) writeFileSync(options.plotFile, renderPlot(sampleService(options.seed)));
else if (options !== undefined) {
  const { isJson, plotFile: _, ...what } = options;
  const comparison = simulate(what);
  if (isJson) {
    console.log(JSON.stringify({ ...what, ...comparison }, null, 2));
  } else {
    const { services, trace, seconds, seed, minInstances, policy } = what;
    const idleSeconds = policy.idleTimeoutMs / 1_000;
    console.log(
      `${services} services, ${trace}, ${seconds} s, idle timeout ${idleSeconds} s, min_instances ${minInstances}, seed ${seed}: ${comparison.berth.requests} requests\n`,
    );
    console.log(renderTable(comparison));
  }
}
