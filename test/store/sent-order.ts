import type { OrderSent } from '../../src/store/order-journal.ts';

/** An order as the journal has it before it is sent. */
export const sentOrder = (id: string) =>
  ({
    id,
    at: '2026-03-02T09:00:00.000Z',
    profile: 'default',
    base_url: 'https://gateway.example.com',
    command: 'buy',
    path: '/trading/open_trade',
    form: { symbol: 'EUR/USD', is_buy: true, amount: 5 },
  }) satisfies OrderSent;
