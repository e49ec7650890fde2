import type { Command } from '../../cli/command.ts';
import { catalogCategoriesGet } from './commands/categories-get.ts';
import { catalogCategoriesList } from './commands/categories-list.ts';
import { catalogCategoriesTree } from './commands/categories-tree.ts';
import { catalogCheck } from './commands/check.ts';
import { catalogCompare } from './commands/compare.ts';
import { catalogCursors } from './commands/cursors.ts';
import { catalogHealth } from './commands/health.ts';
import { catalogHistory } from './commands/history.ts';
import { catalogProductsCommon } from './commands/products-common.ts';
import { catalogProductsCount } from './commands/products-count.ts';
import { catalogProductsDynamics } from './commands/products-dynamics.ts';
import { catalogProductsGet } from './commands/products-get.ts';
import { catalogProductsList } from './commands/products-list.ts';
import { catalogProductsSnapshots } from './commands/products-snapshots.ts';
import { catalogProductsSources } from './commands/products-sources.ts';
import { catalogSettlementsGet } from './commands/settlements-get.ts';
import { catalogSettlementsList } from './commands/settlements-list.ts';

export const commands: readonly Command[] = [
  catalogProductsList,
  catalogProductsGet,
  catalogProductsSources,
  catalogProductsSnapshots,
  catalogProductsDynamics,
  catalogProductsCount,
  catalogProductsCommon,
  catalogHistory,
  catalogCompare,
  catalogCheck,
  catalogCategoriesList,
  catalogCategoriesGet,
  catalogCategoriesTree,
  catalogSettlementsList,
  catalogSettlementsGet,
  catalogCursors,
  catalogHealth,
];
