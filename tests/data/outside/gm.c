/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A GM program outside the tree, built with the installed headers and
 * pkg-config: it sends one message to itself.
 */
#include <gm.h>
#include <stdio.h>
#include <string.h>

static void sent(struct gm_port *port, void *context, gm_status_t status)
{
    (void)port;
    *(gm_status_t *)context = status;
}

int main(void)
{
    static const char text[] = "hello";
    unsigned size = (unsigned)gm_min_size_for_length(sizeof(text));
    gm_status_t status = GM_FAILURE;
    struct gm_port *port = NULL;
    unsigned node = 0;
    char *out, *in;
    int received = 0;

    if (gm_init() != GM_SUCCESS ||
        gm_open(&port, 0, 2, "outside", GM_API_VERSION) != GM_SUCCESS ||
        gm_get_node_id(port, &node) != GM_SUCCESS) {
        return 1;
    }
    out = gm_dma_malloc(port, sizeof(text));
    in = gm_dma_malloc(port, sizeof(text));
    memcpy(out, text, sizeof(text));
    gm_provide_receive_buffer(port, in, size, GM_LOW_PRIORITY);
    gm_send_with_callback(port, out, size, sizeof(text), GM_LOW_PRIORITY, node,
                          2, sent, &status);
    while (!received || status == GM_FAILURE) {
        gm_recv_event_t *event = gm_blocking_receive(port);

        switch (gm_ntohc(event->recv.type)) {
        case GM_RECV_EVENT:
        case GM_PEER_RECV_EVENT:
            received = strcmp(gm_ntohp(event->recv.buffer), text) == 0;
            break;
        case GM_FAST_RECV_EVENT:
        case GM_FAST_PEER_RECV_EVENT:
            received = strcmp(gm_ntohp(event->recv.message), text) == 0;
            break;
        default:
            gm_unknown(port, event);
        }
    }
    printf("GM: %s\n", (status == GM_SUCCESS) ? "received" : "failed");
    gm_close(port);
    gm_finalize();
    return (status == GM_SUCCESS) ? 0 : 1;
}
