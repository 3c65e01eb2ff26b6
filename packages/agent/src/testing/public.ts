// The entry `@berth/agent/testing` of the packed library. Inside the repo the entry also has the fixtures of our own tests.
export { createFakeClock, type FakeClock } from '@berth/kit/testing';
export { scripted } from '../models/scripted.ts';
export {
  type AgentUnderTest,
  type DecidedTurn,
  type TestAgentOptions,
  type TestLogLine,
  type TestTurn,
  testAgent,
} from './test-agent.ts';
export { assertFrames, type FramePattern, type ToolCallRecord } from './test-frames.ts';
