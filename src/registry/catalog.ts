import type { Command } from '../cli/command.ts';
import { catalogCategoriesGet } from '../commands/catalog/categories-get.ts';
import { catalogCategoriesList } from '../commands/catalog/categories-list.ts';
import { catalogCategoriesTree } from '../commands/catalog/categories-tree.ts';
import { catalogCheck } from '../commands/catalog/check.ts';
import { catalogCompare } from '../commands/catalog/compare.ts';
import { catalogCursors } from '../commands/catalog/cursors.ts';
import { catalogHealth } from '../commands/catalog/health.ts';
import { catalogHistory } from '../commands/catalog/history.ts';
import { catalogProductsCommon } from '../commands/catalog/products-common.ts';
import { catalogProductsCount } from '../commands/catalog/products-count.ts';
import { catalogProductsDynamics } from '../commands/catalog/products-dynamics.ts';
import { catalogProductsGet } from '../commands/catalog/products-get.ts';
import { catalogProductsList } from '../commands/catalog/products-list.ts';
import { catalogProductsSnapshots } from '../commands/catalog/products-snapshots.ts';
import { catalogProductsSources } from '../commands/catalog/products-sources.ts';
import { catalogSettlementsGet } from '../commands/catalog/settlements-get.ts';
import { catalogSettlementsList } from '../commands/catalog/settlements-list.ts';

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
