import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  Show: {
    quote: async () => (await import('./commands/quote.ts')).tradeQuote,
    watch: async () => (await import('./commands/watch.ts')).tradeWatch,
    stream: async () => (await import('./commands/stream.ts')).tradeStream,
    candles: async () => (await import('./commands/candles.ts')).tradeCandles,
    'positions list': async () => (await import('./commands/positions-list.ts')).tradePositionsList,
    'positions get': async () => (await import('./commands/positions-get.ts')).tradePositionsGet,
    'orders list': async () => (await import('./commands/orders-list.ts')).tradeOrdersList,
    'orders get': async () => (await import('./commands/orders-get.ts')).tradeOrdersGet,
    'accounts list': async () => (await import('./commands/accounts-list.ts')).tradeAccountsList,
    'offers list': async () => (await import('./commands/offers-list.ts')).tradeOffersList,
    'symbols list': async () => (await import('./commands/symbols-list.ts')).tradeSymbolsList,
    'symbols get': async () => (await import('./commands/symbols-get.ts')).tradeSymbolsGet,
    hours: async () => (await import('./commands/hours.ts')).tradeHours,
    model: async () => (await import('./commands/model.ts')).tradeModel,
  },
  Order: {
    buy: async () => (await import('./commands/buy-sell.ts')).tradeBuy,
    sell: async () => (await import('./commands/buy-sell.ts')).tradeSell,
    'entry buy': async () => (await import('./commands/entry-buy-sell.ts')).tradeEntryBuy,
    'entry sell': async () => (await import('./commands/entry-buy-sell.ts')).tradeEntrySell,
    close: async () => (await import('./commands/close.ts')).tradeClose,
  },
  Manage: {
    'positions update': async () => (await import('./commands/positions-update.ts')).tradePositionsUpdate,
    'orders update': async () => (await import('./commands/orders-update.ts')).tradeOrdersUpdate,
    'orders cancel': async () => (await import('./commands/orders-cancel.ts')).tradeOrdersCancel,
    journal: async () => (await import('./commands/journal.ts')).tradeJournal,
    'journal settle': async () => (await import('./commands/journal-settle.ts')).tradeJournalSettle,
    limits: async () => (await import('./commands/limits.ts')).tradeLimits,
  },
  'Set up': {
    login: async () => (await import('./commands/login.ts')).tradeLogin,
    logout: async () => (await import('./commands/logout.ts')).tradeLogout,
  },
};

export const commands = commandsOf(sections);
