export { type AccountFixture, createAccountFixture } from './account-fixture.ts';
