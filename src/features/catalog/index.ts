import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  Prices: {
    history: async () => (await import('./commands/history.ts')).catalogHistory,
    compare: async () => (await import('./commands/compare.ts')).catalogCompare,
    check: async () => (await import('./commands/check.ts')).catalogCheck,
    movers: async () => (await import('./commands/movers.ts')).catalogMovers,
    basket: async () => (await import('./commands/basket.ts')).catalogBasket,
  },
  Products: {
    'products list': async () => (await import('./commands/products-list.ts')).catalogProductsList,
    'products get': async () => (await import('./commands/products-get.ts')).catalogProductsGet,
    'products sources': async () => (await import('./commands/products-sources.ts')).catalogProductsSources,
    'products snapshots': async () => (await import('./commands/products-snapshots.ts')).catalogProductsSnapshots,
    'products dynamics': async () => (await import('./commands/products-dynamics.ts')).catalogProductsDynamics,
    'products count': async () => (await import('./commands/products-count.ts')).catalogProductsCount,
    'products common': async () => (await import('./commands/products-common.ts')).catalogProductsCommon,
  },
  'Categories and places': {
    'categories list': async () => (await import('./commands/categories-list.ts')).catalogCategoriesList,
    'categories get': async () => (await import('./commands/categories-settlements-get.ts')).catalogCategoriesGet,
    'settlements list': async () => (await import('./commands/settlements-list.ts')).catalogSettlementsList,
    'settlements get': async () => (await import('./commands/categories-settlements-get.ts')).catalogSettlementsGet,
  },
  Service: {
    cursors: async () => (await import('./commands/cursors.ts')).catalogCursors,
    health: async () => (await import('./commands/health.ts')).catalogHealth,
  },
};

export const commands = commandsOf(sections);
