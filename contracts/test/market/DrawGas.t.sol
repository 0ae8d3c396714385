// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MarketFixture} from "./MarketFixture.sol";

/// @dev `npm run coverage` leaves out `*Gas.t.sol`: its counting lines use gas of their own.
contract DrawGasTest is MarketFixture {
    function test_ADrawAmongManySeatsCostsNoMoreThanABlockHas() public {
        for (uint256 i = 7; i < 1_000; ++i) book.seat(keccak256(abi.encode("seat", i)), seatAccount(i));
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, 0, 1e18);
        answerGame(id);
        vm.prank(BOB);
        market.dispute(id);
        vm.roll(block.number + 3);
        uint256 before = gasleft();
        market.drawCommittee(id);
        vm.assertLe(before - gasleft(), 500_000);
        vm.assertEq(market.disputeOf(id).committee.length, 5);
    }
}
