import { createProcessPort } from '@berth/gateway/workers';
import { createSystemClock } from '@berth/kit';
import { CHANNELS } from './role-calls.ts';
import { followMainProcess } from './role-process.ts';
import { runWorkerProcess } from './worker-process.ts';

followMainProcess();
runWorkerProcess({
  clock: createSystemClock(),
  gatewayPort: createProcessPort(process, CHANNELS.gateway),
  callPort: createProcessPort(process, CHANNELS.calls),
});
