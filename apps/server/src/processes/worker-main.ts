import { createProcessPort } from '@berth/gateway/workers';
import { createSystemClock } from '@berth/kit';
import { releaseIdleMemory } from '../context/release-idle-memory.ts';
import { CHANNELS } from './role-calls.ts';
import { followMainProcess } from './role-process.ts';
import { runWorkerProcess } from './worker-process.ts';

followMainProcess();
const clock = createSystemClock();
releaseIdleMemory(clock);
runWorkerProcess({
  clock,
  gatewayPort: createProcessPort(process, CHANNELS.gateway),
  callPort: createProcessPort(process, CHANNELS.calls),
});
