import type { Command } from '../../cli/command.ts';
import { tradeAccounts } from './commands/accounts.ts';
import { tradeBatch } from './commands/batch.ts';
import { tradeBuy } from './commands/buy.ts';
import { tradeCandles } from './commands/candles.ts';
import { tradeClose } from './commands/close.ts';
import { tradeEntryBuy } from './commands/entry-buy.ts';
import { tradeEntrySell } from './commands/entry-sell.ts';
import { tradeHours } from './commands/hours.ts';
import { tradeJournal } from './commands/journal.ts';
import { tradeJournalSettle } from './commands/journal-settle.ts';
import { tradeLimits } from './commands/limits.ts';
import { tradeLogin } from './commands/login.ts';
import { tradeLogout } from './commands/logout.ts';
import { tradeModel } from './commands/model.ts';
import { tradeOcoAdd } from './commands/oco-add.ts';
import { tradeOcoCreate } from './commands/oco-create.ts';
import { tradeOcoEdit } from './commands/oco-edit.ts';
import { tradeOcoRemove } from './commands/oco-remove.ts';
import { tradeOffers } from './commands/offers.ts';
import { tradeOrderCancel } from './commands/order-cancel.ts';
import { tradeOrderGet } from './commands/order-get.ts';
import { tradeOrderSet } from './commands/order-set.ts';
import { tradeOrders } from './commands/orders.ts';
import { tradePing } from './commands/ping.ts';
import { tradePositionSet } from './commands/position-set.ts';
import { tradePositions } from './commands/positions.ts';
import { tradeQuote } from './commands/quote.ts';
import { tradeSell } from './commands/sell.ts';
import { tradeStatus } from './commands/status.ts';
import { tradeStream } from './commands/stream.ts';
import { tradeSymbolsHide } from './commands/symbols-hide.ts';
import { tradeSymbolsInfo } from './commands/symbols-info.ts';
import { tradeSymbolsList } from './commands/symbols-list.ts';
import { tradeSymbolsShow } from './commands/symbols-show.ts';
import { tradeWatch } from './commands/watch.ts';

export const commands: readonly Command[] = [
  tradeAccounts,
  tradePositions,
  tradeOrders,
  tradeOrderGet,
  tradeOffers,
  tradeQuote,
  tradeStream,
  tradeWatch,
  tradeCandles,
  tradeModel,
  tradeSymbolsList,
  tradeSymbolsInfo,
  tradeSymbolsShow,
  tradeSymbolsHide,
  tradeBuy,
  tradeSell,
  tradeEntryBuy,
  tradeEntrySell,
  tradeClose,
  tradePositionSet,
  tradeOrderSet,
  tradeOrderCancel,
  tradeOcoCreate,
  tradeOcoAdd,
  tradeOcoRemove,
  tradeOcoEdit,
  tradeBatch,
  tradeHours,
  tradeLimits,
  tradeJournal,
  tradeJournalSettle,
  tradeLogin,
  tradeLogout,
  tradeStatus,
  tradePing,
];
