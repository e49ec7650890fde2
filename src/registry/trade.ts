import type { Command } from '../cli/command.ts';
import { tradeAccounts } from '../commands/trade/accounts.ts';
import { tradeBatch } from '../commands/trade/batch.ts';
import { tradeBuy } from '../commands/trade/buy.ts';
import { tradeCandles } from '../commands/trade/candles.ts';
import { tradeClose } from '../commands/trade/close.ts';
import { tradeEntryBuy } from '../commands/trade/entry-buy.ts';
import { tradeEntrySell } from '../commands/trade/entry-sell.ts';
import { tradeHours } from '../commands/trade/hours.ts';
import { tradeJournal } from '../commands/trade/journal.ts';
import { tradeJournalSettle } from '../commands/trade/journal-settle.ts';
import { tradeLimits } from '../commands/trade/limits.ts';
import { tradeLogin } from '../commands/trade/login.ts';
import { tradeLogout } from '../commands/trade/logout.ts';
import { tradeModel } from '../commands/trade/model.ts';
import { tradeOcoAdd } from '../commands/trade/oco-add.ts';
import { tradeOcoCreate } from '../commands/trade/oco-create.ts';
import { tradeOcoEdit } from '../commands/trade/oco-edit.ts';
import { tradeOcoRemove } from '../commands/trade/oco-remove.ts';
import { tradeOffers } from '../commands/trade/offers.ts';
import { tradeOrderCancel } from '../commands/trade/order-cancel.ts';
import { tradeOrderGet } from '../commands/trade/order-get.ts';
import { tradeOrderSet } from '../commands/trade/order-set.ts';
import { tradeOrders } from '../commands/trade/orders.ts';
import { tradePing } from '../commands/trade/ping.ts';
import { tradePositionSet } from '../commands/trade/position-set.ts';
import { tradePositions } from '../commands/trade/positions.ts';
import { tradeQuote } from '../commands/trade/quote.ts';
import { tradeSell } from '../commands/trade/sell.ts';
import { tradeStatus } from '../commands/trade/status.ts';
import { tradeStream } from '../commands/trade/stream.ts';
import { tradeSymbolsHide } from '../commands/trade/symbols-hide.ts';
import { tradeSymbolsInfo } from '../commands/trade/symbols-info.ts';
import { tradeSymbolsList } from '../commands/trade/symbols-list.ts';
import { tradeSymbolsShow } from '../commands/trade/symbols-show.ts';
import { tradeWatch } from '../commands/trade/watch.ts';

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
