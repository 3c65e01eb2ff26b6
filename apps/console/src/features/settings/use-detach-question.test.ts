import { expect, test, vi } from 'vitest';
import { setupView } from '../../render-view.test-support.ts';
import { useDetachQuestion } from './use-detach-question.tsx';

const mount = { path: '/data', volume: 'media', isReadOnly: false, subPath: '' };

// Fails when a deploy that keeps its volumes asks first.
test('a deploy that detaches nothing begins at once', () => {
  const deploy = vi.fn();
  setupView()
    .call(() => useDetachQuestion([], deploy))
    .ask();
  expect(deploy).toHaveBeenCalledOnce();
});

// Fails when a volume is detached without a question.
test('a deploy that detaches a volume waits for the answer', () => {
  const deploy = vi.fn();
  setupView()
    .call(() => useDetachQuestion([mount], deploy))
    .ask();
  expect(deploy).not.toHaveBeenCalled();
});
