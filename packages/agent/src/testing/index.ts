export { offerTools } from '../loop/offer-tools.ts';
export { framesOf, type LoopAgent, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
export { NO_BROWSER, openBrowser, openPage } from '../page/testing/open-browser.ts';
export { type OpenTestAgentOptions, openTestAgent, type TestAgent } from './open-test-agent.ts';
export * from './public.ts';
export { type ReadTurn, readTurn } from './read-turn.ts';
export { isTwoInstances } from './two-instances.ts';
