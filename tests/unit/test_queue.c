/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the queue. Checks the fields of the queue after each operation, and
 * compares a long random sequence of operations with the same operations on an
 * array.
 */
#include <string.h>

#include "base/queue.h"
#include "base/random.h"
#include "unit.h"

#define ITEMS 12u
#define STEPS 20000u

typedef struct test_item {
    /* a field that is not the queue's link and must not change */
    struct test_item *before;
    struct test_item *next;
} test_item_t;

typedef struct test_queue {
    test_item_t *first, *last;
} test_queue_t;

GMS_QUEUE_DEFINE(test_queue, test_queue_t, test_item_t, next);

static void test_ends(void)
{
    test_queue_t queue = {0};
    test_item_t a = {0}, b = {0}, c = {0};

    CU_ASSERT_PTR_NULL(test_queue_take(&queue));
    a.next = &c; /* a stale pointer from another queue */
    test_queue_put(&queue, &a);
    CU_ASSERT(queue.first == &a && queue.last == &a && a.next == NULL);
    test_queue_put(&queue, &b);
    CU_ASSERT(queue.first == &a && queue.last == &b && a.next == &b);
    test_queue_put_back(&queue, &c);
    CU_ASSERT(queue.first == &c && queue.last == &b && c.next == &a);
    CU_ASSERT_PTR_EQUAL(test_queue_take(&queue), &c);
    CU_ASSERT_PTR_NULL(c.next);
    CU_ASSERT_PTR_EQUAL(test_queue_take(&queue), &a);
    CU_ASSERT_PTR_EQUAL(test_queue_take(&queue), &b);
    CU_ASSERT_PTR_NULL(test_queue_take(&queue));
    test_queue_put_back(&queue, &a); /* the first item is also the last item */
    test_queue_put(&queue, &b);
    CU_ASSERT(queue.first == &a && queue.last == &b && a.next == &b);
}

static void test_remove(void)
{
    test_queue_t queue = {0};
    test_item_t items[4] = {0};
    unsigned i;

    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[0]), 0);
    for (i = 0; i < 3; ++i) {
        test_queue_put(&queue, &items[i]);
    }
    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[3]), 0);
    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[1]), 1);
    CU_ASSERT(items[0].next == &items[2] && items[1].next == NULL);
    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[2]), 1);
    CU_ASSERT(queue.last == &items[0] && items[0].next == NULL);
    test_queue_put(&queue, &items[3]);
    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[0]), 1);
    CU_ASSERT(queue.first == &items[3] && queue.last == &items[3]);
    CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[3]), 1);
    CU_ASSERT_PTR_NULL(queue.first);
}

/* A queue that is initialized with zeros is empty, and a copy of a queue is
 * usable. */
static void test_copy(void)
{
    test_queue_t queue = {0}, copy;
    test_item_t a = {0}, b = {0};

    copy = queue;
    test_queue_put(&copy, &a);
    queue = copy;
    memset(&copy, 0xff, sizeof(copy));
    test_queue_put(&queue, &b);
    CU_ASSERT(queue.first == &a && a.next == &b && queue.last == &b);
}

/* A model of the queue: an array with the same items in the same order. */
typedef struct test_model {
    unsigned number[ITEMS], count;
} test_model_t;

static void test_model_insert(test_model_t *model, unsigned at, unsigned number)
{
    memmove(&model->number[at + 1], &model->number[at],
            (model->count++ - at) * sizeof(model->number[0]));
    model->number[at] = number;
}

static void test_model_remove(test_model_t *model, unsigned at)
{
    memmove(&model->number[at], &model->number[at + 1],
            (--model->count - at) * sizeof(model->number[0]));
}

static unsigned test_model_find(const test_model_t *model, unsigned number)
{
    unsigned at = 0;

    while (at < model->count && model->number[at] != number) {
        ++at;
    }
    return at;
}

static void test_model_check(const test_model_t *model,
                             const test_queue_t *queue,
                             const test_item_t *items)
{
    const test_item_t *item = queue->first;
    unsigned i;

    for (i = 0; i < model->count; ++i) {
        CU_ASSERT_PTR_EQUAL_FATAL(item, &items[model->number[i]]);
        CU_ASSERT_FATAL(item->next != NULL || item == queue->last);
        item = item->next;
    }
    CU_ASSERT_PTR_NULL_FATAL(item);
}

static void test_random_steps(void)
{
    test_item_t items[ITEMS] = {0};
    test_queue_t queue = {0};
    test_model_t model = {0};
    gms_random_t random;
    unsigned step;

    gms_random_init(&random, 1, 1);
    for (step = 0; step < STEPS; ++step) {
        unsigned number = (unsigned)gms_random_below(&random, ITEMS);
        unsigned at = test_model_find(&model, number);
        unsigned draw = (unsigned)gms_random_below(&random, 2);

        if (at == model.count && draw == 0) {
            test_model_insert(&model, model.count, number);
            test_queue_put(&queue, &items[number]);
        } else if (at == model.count) {
            test_model_insert(&model, 0, number);
            test_queue_put_back(&queue, &items[number]);
        } else if (draw == 0) {
            test_model_remove(&model, at);
            CU_ASSERT_EQUAL(test_queue_remove(&queue, &items[number]), 1);
        } else {
            number = model.number[0];
            test_model_remove(&model, 0);
            CU_ASSERT_PTR_EQUAL(test_queue_take(&queue), &items[number]);
        }
        test_model_check(&model, &queue, items);
    }
}

static CU_TestInfo queue_tests[] = {
    {"items are added and removed at both ends", test_ends},
    {"removal at each position", test_remove},
    {"a queue may be copied", test_copy},
    {"random steps compared with an array", test_random_steps},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"queue", NULL, NULL, NULL, NULL, queue_tests});
}
