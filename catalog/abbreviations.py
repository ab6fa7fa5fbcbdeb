"""Short forms that identifiers use, and the words they stand for."""

from __future__ import annotations

ABBREVIATIONS: dict[str, str] = {
    line.split()[0]: line.split()[1]
    for line in """
    acc account
    acct account
    addr address
    adj adjustment
    agmt agreement
    alloc allocation
    amt amount
    appr approval
    appt appointment
    arr array
    art article
    attr attribute
    auth authorization
    avail available
    avg average
    bal balance
    bnk bank
    cal calendar
    cat category
    cfg configuration
    chg change
    chk check
    cmp company
    cmpl complaint
    cnt count
    cntct contact
    cntry country
    comm communication
    cont contact
    cpny company
    crd credit
    cred credit
    cur currency
    curr current
    cust customer
    dec decision
    def default
    del delete
    dep department
    dept department
    desc description
    dest destination
    dir direction
    disc discount
    div division
    dlv delivery
    dlvr delivery
    doc document
    dt date
    dup duplicate
    dur duration
    emp employee
    eval evaluation
    evt event
    exc exception
    exp expiry
    ext external
    fin finance
    fld field
    fmt format
    freq frequency
    frm from
    grp group
    hdr header
    hist history
    hrs hours
    id identifier
    img image
    ind indicator
    inf information
    info information
    init initial
    inq inquiry
    inst instance
    int internal
    inv invoice
    itm item
    iss issue
    lang language
    lim limit
    ln line
    loc location
    lst list
    lvl level
    max maximum
    mgr manager
    min minimum
    mod modified
    mov movement
    msg message
    mst master
    mth month
    mvt movement
    nbr number
    no number
    nm name
    nr number
    num number
    obj object
    opr operator
    opt option
    ord order
    org organization
    orig original
    own owner
    pay payment
    pct percent
    per period
    perf performance
    perm permission
    ph phone
    pkg package
    pmt payment
    pos position
    prc price
    pref preference
    prev previous
    prio priority
    prob problem
    proc process
    prod product
    prof profile
    proj project
    prov provider
    ps position
    pt point
    pwd password
    pymt payment
    qry query
    qty quantity
    rcpt receipt
    rcv receive
    rec record
    ref reference
    reg region
    rel relation
    rem remark
    rep representative
    req request
    res reservation
    resp response
    ret return
    rev revision
    rpt report
    rsn reason
    sal salary
    sched schedule
    sec security
    seg segment
    seq sequence
    shp shipment
    sig signature
    spec specification
    srv service
    st status
    stat status
    stk stock
    sts status
    subj subject
    subs subscription
    sup supplier
    supp supplier
    sys system
    tel telephone
    temp temporary
    tmp temporary
    tot total
    trf transfer
    trn transaction
    trx transaction
    tx transaction
    txn transaction
    typ type
    upd update
    usr user
    val value
    vat tax
    vend vendor
    ver version
    vld valid
    vol volume
    wh warehouse
    whs warehouse
    xfer transfer
    yr year
    """.strip().splitlines()
}


def expanded(word: str) -> str:
    """The word a short form stands for, or the word itself."""
    return ABBREVIATIONS.get(word, word)


def may_abbreviate(short: str, word: str) -> bool:
    """Whether `short` could be cut from `word`: same first letter, letters in order, shorter.

    `cmpl` from complaint, `prc` from price; one letter is no abbreviation of anything.
    """
    if ABBREVIATIONS.get(short) == word:
        return True
    if not 2 <= len(short) < len(word) or short[0] != word[0]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in short)
