export { collect } from './collect.ts';
export { createFakeCalls, type FakeCall } from './create-fake-calls.ts';
export { deployEvent } from './deploy-event.ts';
export { createScriptedClock } from './scripted-clock.ts';
export {
  answerJson,
  createScriptedServer,
  type Exchange,
  type Handler,
  type ScriptedServer,
} from './scripted-server.ts';
