"""What passes share: ranges and affine forms of index values, boxes of integer sets, views, names and places.

A pass never imports a pass; what two passes need to agree on stands here.
"""
