// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {StakesFixture} from "../StakesFixture.sol";
import {OpeningsHandler} from "./OpeningsHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract OpeningsInvariants is StakesFixture {
    OpeningsHandler internal handler;

    function setUp() public override {
        super.setUp();
        openings.describe(SPECIFICATION, 1, 13);
        handler = new OpeningsHandler(
            OpeningsHandler.Parts(registry, rounds, commitments, votes, openings, stakes, nectar),
            evaluators,
            solvers
        );
        // Stakes of proposers, which withheld secrets cost.
        for (uint256 i = 1; i < 3; ++i) {
            address account = registry.accountOf(solvers[i]);
            give(account, 300 ether);
            vm.prank(account);
            nectar.approve(address(stakes), type(uint256).max);
        }
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a payment.
    function test_TheHandlerReachesPayments() public {
        for (uint256 i = 0; i < 100; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(i)));
            for (uint256 j = 0; j < 4; ++j) handler.open(draw >> (4 * j));
            handler.restake(draw >> 7);
            handler.claim(draw);
            handler.fault(draw >> 3);
            handler.close(draw >> 5);
            handler.pass(draw);
        }
        vm.assertLe(10, handler.closed());
        vm.assertLe(10, handler.paid());
        vm.assertLe(2, handler.tasksPaid());
        vm.assertLe(5, handler.faults());
        vm.assertLe(1 ether, handler.burntWei());
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

    function invariant_O3_ATaskIsPaidOnceToItsProposer() public view {
        for (uint256 i = 0; i < 3; ++i) requireEarned(handler.solverAt(i));
    }

    function invariant_O4_NoOtherOpeningOrClaimGetsThrough() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_O5_AProposalIsWhatItsProposerGaveBeforeTheRound() public view {
        vm.assertTrue(handler.proposalsStand());
    }

    function invariant_O6_AWithheldSecretBurnsItsProposersStakeOnceAndNobodyElses() public view {
        uint256 sum = 0;
        for (uint256 i = 0; i < 3; ++i) {
            bytes32 peerKey = handler.solverAt(i);
            vm.assertEq(amountOf(PROPOSER, peerKey), handler.stakedWei(peerKey));
            sum += handler.stakedWei(peerKey);
        }
        vm.assertEq(nectar.balanceOf(address(stakes)), sum);
    }

    function invariant_O7_TheSupplyIsWhatWasEarnedAndClaimedLessWhatFaultsBurnt() public view {
        uint256 claimed = 0;
        for (uint256 i = 0; i < 3; ++i) {
            claimed += handler.claimedWei(handler.evaluatorAt(i)) + handler.claimedWei(handler.solverAt(i));
        }
        vm.assertEq(nectar.totalSupply(), claimed - handler.burntWei());
    }

    function requireEarned(bytes32 peerKey) internal view {
        vm.assertEq(openings.earnedOf(peerKey), handler.expectedWei(peerKey));
    }

    /// @dev The seats need no stakes as long as this plays.
    function bootstrapRounds() internal pure override returns (uint64 round) {
        return 100_000;
    }
}
