import { createProcessPort } from '@berth/gateway/workers';
import { createIdSource, createSystemClock } from '@berth/kit';
import { releaseIdleMemory } from '../context/release-idle-memory.ts';
import { runControlProcess } from './control-process.ts';
import { CHANNELS } from './role-calls.ts';
import { followMainProcess } from './role-process.ts';

followMainProcess();
const clock = createSystemClock();
releaseIdleMemory(clock);
runControlProcess({
  clock,
  ids: createIdSource(),
  environment: process.env,
  gatewayPort: createProcessPort(process, CHANNELS.gateway),
  callPort: createProcessPort(process, CHANNELS.calls),
});
