// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

/// @dev The drawn peer loses its round, in which its seed is false, once it is settled.
contract OpeningsOfFalseWorkTest is OpeningsFixture {
    /// @dev Its accomplice proves that once the beacon has drawn it, to take the pay of those who scored it.
    function test_PaysTheSeatsOfAPeerThatIsFoundFalse() public {
        cast = [500, 490, 525];
        playAndAnnul(1);
        for (uint256 i = 0; i < 3; ++i) openings.open(openingOf(i, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[1]), (40 ether * 16) / uint256(26));
        vm.assertEq(openings.earnedOf(evaluators[2]), 40 ether / uint256(26));
        vm.assertEq(votes.points(solvers[0]), 0);
    }

    function test_RevertWhen_AVoteOnAFalsePeerLiesFarFromTheOthers() public {
        cast = [500, 500, 526];
        playAndAnnul(1);
        openings.open(openingOf(0, 0));
        expectDisagreement(openingOf(2, 0));
    }

    /// @dev Its score is in the second word of the votes.
    function test_PaysTheSeatsOfAShardsSeventeenthPeer() public {
        cast = [500, 490, 525];
        playAndAnnul(17);
        for (uint256 i = 0; i < 3; ++i) openings.open(openingOf(i, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[1]), (40 ether * 16) / uint256(26));
    }

    /// @dev One seat is of the peer's account: the others' lower median is 490.
    function test_LeavesOutTheVoteOfThePeersOwnAccount() public {
        cast = [525, 490, 510];
        address account = registry.accountOf(solvers[0]);
        Wallet memory wallet = walletOf(100);
        bytes memory signature = proofOf(wallet, account, type(uint256).max);
        vm.prank(account);
        registry.register(wallet.publicKey, signature, type(uint256).max);
        playAndAnnul(1);
        expectDisagreement(openingOf(0, 0));
        openings.open(openingOf(1, 0));
        openings.open(openingOf(2, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[1]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[2]), (40 ether * 6) / uint256(26));
    }

    function test_CountsNoBallotThatStayedSealed() public {
        playTwoVotes(3);
    }

    function test_CountsNoSeatThatStayedSilent() public {
        playTwoVotes(2);
    }

    /// @dev The third seat's ballot of six rounds before is in the same place of the ring. With it the lower median would
    /// be 500 instead of 470.
    function playTwoVotes(uint256 sealed_) internal {
        cast = [900, 900, 900];
        play(600, 600, 600);
        enterRound(6);
        base = 6;
        cast = [500, 470, 500];
        (sealing, revealing) = (sealed_, 2);
        playAndAnnul(1);
        expectDisagreement(openingOf(0, 0));
        openings.open(openingOf(1, 0));
    }

    /// @dev The peer is the last of so many.
    function playAndAnnul(uint256 peers) internal {
        for (uint256 i = 1; i < peers; ++i) commitRollouts(enrol(300 + i, accountNamed(300 + i)));
        playSettled(600, 600, 600, peers);
        challenges.challengeLeaf(base, solvers[0], workOf(solvers[0]), leafAt(1), openingOf(0, 1).leafProof);
        enterRound(base + 4);
    }

    function expectDisagreement(IOpenings.Opening memory opening) internal {
        bytes32 evaluatorKey = opening.ballot.evaluatorKey;
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_VoteDisagrees.selector, base, evaluatorKey));
        openings.open(opening);
    }
}
