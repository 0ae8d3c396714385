// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {VotesFixture} from "../VotesFixture.sol";
import {OpeningsHandler} from "./OpeningsHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract OpeningsInvariants is VotesFixture {
    OpeningsHandler internal handler;

    function setUp() public override {
        super.setUp();
        handler = new OpeningsHandler(
            OpeningsHandler.Parts(registry, rounds, commitments, votes, openings),
            evaluators,
            solvers
        );
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a payment.
    function test_TheHandlerReachesPayments() public {
        for (uint256 i = 0; i < 100; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(i)));
            for (uint256 j = 0; j < 4; ++j) handler.open(draw >> (4 * j));
            handler.claim(draw);
            handler.close(draw >> 5);
            handler.payTask(draw);
            handler.pass(draw);
        }
        vm.assertLe(10, handler.closed());
        vm.assertLe(10, handler.paid());
        vm.assertLe(2, handler.tasksPaid());
        vm.assertLe(100, handler.refused());
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_O1_NoMoreIsEarnedThanRoundsEmitted() public view {
        uint256 earned = 0;
        for (uint256 i = 0; i < 3; ++i) {
            earned += openings.earnedOf(handler.evaluatorAt(i)) + openings.earnedOf(handler.solverAt(i));
        }
        vm.assertLe(earned, handler.closed() * (openings.OPENING_EMISSION_WEI() + openings.PROPOSER_EMISSION_WEI()));
    }

    function invariant_O2_ASeatIsPaidOnceForAScoreWithinTheToleranceAndNothingElse() public view {
        for (uint256 i = 0; i < 3; ++i) requireEarned(handler.evaluatorAt(i));
    }

    function invariant_O3_ATaskIsPaidOnceToWhoProposedItFirst() public view {
        for (uint256 i = 0; i < 3; ++i) requireEarned(handler.solverAt(i));
    }

    function invariant_O4_NoOtherOpeningOrClaimGetsThrough() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function requireEarned(bytes32 peerKey) internal view {
        vm.assertEq(openings.earnedOf(peerKey), handler.expectedWei(peerKey));
    }
}
