import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { createLateView } from './late-view.ts';

const Hello = () => createElement('b', null, 'hello');

type Late = ReturnType<typeof createLateView<object>>;

function Place({ late }: { readonly late: Late }) {
  const View = late.useView();
  return View ? createElement(View) : 'not yet';
}

function open(load: () => Promise<typeof Hello>) {
  const late = createLateView<object>(load);
  return { late, html: () => renderToStaticMarkup(createElement(Place, { late })) };
}

it('is nothing until it is loaded, and then there at once', async () => {
  const loaded = Promise.withResolvers<typeof Hello>();
  const { late, html } = open(() => loaded.promise);
  late.prepare();
  expect(html()).toBe('not yet');
  loaded.resolve(Hello);
  await loaded.promise;
  expect(html()).toBe('<b>hello</b>');
});

it('is loaded once, however often it is asked for', async () => {
  const load = vi.fn(async () => Hello);
  const { late } = open(load);
  late.prepare();
  late.prepare();
  await vi.waitFor(() => expect(load).toHaveBeenCalled());
  late.prepare();
  expect(load).toHaveBeenCalledOnce();
});

// Fails when a failed load is remembered: answers would stay empty after a bad moment of the network.
it('is loaded again after it could not be', async () => {
  const load = vi.fn(async () => Hello).mockRejectedValueOnce(new TypeError('offline'));
  const { late, html } = open(load);
  late.prepare();
  await vi.waitFor(() => {
    late.prepare();
    expect(load).toHaveBeenCalledTimes(2);
  });
  await vi.waitFor(() => expect(html()).toBe('<b>hello</b>'));
});
